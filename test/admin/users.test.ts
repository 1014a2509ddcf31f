/** Who may do what about whom: owners, administrators and users themselves. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { listAccounts } from "#admin/accounts.ts";
import { listAudit } from "#admin/audit.ts";
import { type Action, perform } from "#admin/kit/action.ts";
import { AlreadyExists, Forbidden, InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import { createList } from "#admin/lists.ts";
import { exportSubscriber } from "#admin/subscribers/record.ts";
import { addSubscriber } from "#admin/subscribers/subscribers.ts";
import { removeUserTotp, setUserPassword } from "#admin/users/credentials.ts";
import * as me from "#admin/users/me.ts";
import { inviteUser, linkUser, withdrawInvitation } from "#admin/users/sign-in.ts";
import { createUserToken, listUserTokens, revokeUserToken } from "#admin/users/tokens.ts";
import * as users from "#admin/users/users.ts";
import { LogIn } from "#auth/users/log-in.ts";
import { findLink } from "#auth/users/sign-in-links.ts";
import { TokenAuthenticator } from "#auth/users/token-authenticator.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { User } from "#domain/access/user.ts";
import { collect } from "#domain/paging.ts";
import { finishJob } from "#jobs/foreground.ts";
import { NOW, usersInstallation } from "../auth/users/installation.ts";
import { newAccount } from "../store/actor.ts";

const home = await usersInstallation();
const { store, clocks, account, newUser, newGuard } = home;
const other = await newAccount(store);
const tokens = new TokenAuthenticator({ store, clocks, guard: newGuard(), onLoadFailed: assert.ifError });
const logIn = new LogIn({ store, clocks, guard: newGuard(), onRefused: () => {} });
const operator: Actor = { origin: { kind: "operator", name: "root" }, roleIn: () => "administrator" };

const as = <Args extends object, Result>(actor: Actor, action: Action<Args, Result>, args: Args) =>
  perform(
    {
      store,
      actor,
      clock: clocks.wall,
      continueJob: finishJob(store.jobs),
      passwordCheck: (user, password, client) => logIn.isPasswordOf(user, password, client),
    },
    action,
    args,
  );
const actorOf = async (bearer: string): Promise<Actor> => {
  const actor = await tokens.authenticate(bearer, "192.0.2.7");
  assert.ok(actor);
  return actor;
};
/** A user who has logged in, with a token for everything that the user may do. */
const working = async (user: User): Promise<Actor> =>
  await actorOf((await home.newToken(user, "administrator", { isLogIn: true })).bearer);

const PASSWORD = "correct horse battery";
const at = { account };

describe("an owner", async () => {
  const ownerUser = await newUser(account, "owner");
  const owner = await working(ownerUser);

  test("creates users of the own account, and manages them", async () => {
    const created = await as(owner, users.createUser, {
      ...at,
      email: "bob@example.org",
      name: " Bob ",
      role: "owner",
    });
    assert.deepEqual([created.name, created.roles], ["Bob", [{ account, role: "owner" }]]);
    const one = { ...at, id: created.id };
    assert.equal((await as(owner, users.setUserRole, { ...one, role: "viewer" })).roles[0]?.role, "viewer");
    assert.equal((await as(owner, users.setUser, { ...one, name: "" })).name, "");
    assert.ok((await as(owner, setUserPassword, { ...one, password: PASSWORD })).passwordSetAt);
    assert.deepEqual(await as(owner, listUserTokens, one), []);
    await as(owner, removeUserTotp, one);
    assert.equal((await as(owner, users.disableUser, one)).disabledAt, clocks.wall());
    assert.equal((await as(owner, users.enableUser, one)).disabledAt, null);
    await as(owner, users.setUserRole, { ...one, role: null });
    await assert.rejects(as(owner, users.showUser, one), NotFound);
  });

  test("sees no user of another account, no role in it, and nobody there", async () => {
    const [stranger, both] = [await newUser(other), await newUser(account)];
    await home.set(both, { role: { account: other, role: "owner" } });
    const ids = (await as(owner, users.listUsers, { ...at, limit: 500 })).rows.map(({ id }) => id);
    assert.deepEqual([ids.includes(stranger.id), ids.includes(both.id)], [false, true]);
    const one = { ...at, id: both.id };
    assert.deepEqual((await as(owner, users.showUser, one)).roles, [{ account, role: "viewer" }]);
    for (const id of [stranger.id, 999_999])
      for (const action of [users.showUser, users.disableUser, listUserTokens] as const)
        await assert.rejects(
          as(owner, action as Action<object, unknown>, { ...at, id }),
          (error) => error instanceof NotFound && error.message === `there is no user ${id}`,
        );
    await assert.rejects(as(owner, users.setUserRole, { ...at, id: stranger.id, role: "viewer" }), NotFound);
    const found = { ...at, email: stranger.email };
    await assert.rejects(as(owner, users.findUserByAddress, found), NotFound);
    assert.equal((await as(owner, users.findUserByAddress, { ...at, email: both.email })).id, both.id);
    for (const elsewhere of [other, null])
      await assert.rejects(as(owner, users.listUsers, { account: elsewhere, limit: 5 }), Forbidden);
  });

  test("cannot act as a user of another account or an administrator: no password, token or name of theirs", async () => {
    const [both, administrator] = [await newUser(account), await newUser(account)];
    await home.set(both, { role: { account: other, role: "viewer" } });
    await home.set(administrator, { isAdministrator: true });
    const { id: token } = await home.newToken(both, "viewer");
    for (const { id } of [both, administrator]) {
      const one = { ...at, id };
      const tried = [
        as(owner, setUserPassword, { ...one, password: PASSWORD }),
        as(owner, users.setUser, { ...one, name: "X" }),
        as(owner, users.disableUser, one),
        as(owner, removeUserTotp, one),
        as(owner, listUserTokens, one),
        as(owner, revokeUserToken, { ...one, token }),
        as(owner, linkUser, one),
        as(owner, inviteUser, one),
        as(owner, withdrawInvitation, one),
      ];
      for (const each of tried) await assert.rejects(each, Forbidden);
    }
    const mine = { ...at, id: ownerUser.id, name: "x", role: null, expiresAt: null };
    await assert.rejects(as(owner, createUserToken, mine), Forbidden, "needs an administrator");
    // The role in the own account is the owner's to decide.
    await as(owner, users.setUserRole, { ...at, id: both.id, role: null });
    assert.deepEqual((await store.users.byId({ id: both.id }))?.roles, [{ account: other, role: "viewer" }]);
  });

  test("invites only who is enabled and has no password, and not with the token of a program", async () => {
    const { id } = await newUser(account);
    const one = { ...at, id };
    const program = await actorOf((await home.newToken(ownerUser, "owner")).bearer);
    for (const action of [inviteUser, linkUser])
      await assert.rejects(as(program, action as Action<object, unknown>, one), Forbidden);
    const first = await as(owner, inviteUser, one);
    assert.equal(first.user.invitationExpiresAt, first.expiresAt);
    assert.ok(await findLink(store, first.secret, clocks.wall()));
    await as(owner, users.disableUser, one);
    await as(owner, users.enableUser, one);
    assert.equal(await findLink(store, first.secret, clocks.wall()), null, "it does not outlive a disabling");
    const second = await as(owner, inviteUser, one);
    await as(owner, setUserPassword, { ...one, password: PASSWORD });
    assert.equal(await findLink(store, second.secret, clocks.wall()), null, "nor another password");
    await assert.rejects(as(owner, inviteUser, one), NotPossible);
    const disabled = { ...at, id: (await newUser(account)).id };
    await as(owner, users.disableUser, disabled);
    await assert.rejects(as(owner, inviteUser, disabled), /is disabled; enable the user first/);
  });

  test("finds in the log of the account whose token was created or revoked there", async () => {
    const { id } = await newUser(account);
    const input = { name: "App", role: null, expiresAt: null };
    const { token } = await as(operator, createUserToken, { ...at, id, ...input });
    await as(owner, revokeUserToken, { ...at, id, token: token.id });
    const filter = { ...at, action: null, since: null, limit: 2 };
    const { rows } = await as(owner, listAudit, filter);
    assert.deepEqual(
      rows.map(({ action, about }) => [action, about]),
      ["user.token.revoke", "user.token.create"].map((name) => [
        name,
        { kind: "token", id: String(token.id) },
      ]),
    );
  });

  test("cannot give somebody of another account a role, who could later be taken over", async () => {
    const { email } = await newUser(other);
    const again = { ...at, email: email.toUpperCase(), name: "", role: "viewer" } as const;
    await assert.rejects(as(owner, users.createUser, again), AlreadyExists);
    await assert.rejects(
      as(owner, users.setAdministrator, { id: ownerUser.id, isAdministrator: true }),
      Forbidden,
    );
  });
});

describe("an administrator", async () => {
  const first = await newUser(null);
  const administrator = await working(first);

  test("manages all users, and gives them roles in several accounts", async () => {
    const user = await newUser(other);
    const given = await as(administrator, users.setUserRole, { ...at, id: user.id, role: "editor" });
    assert.deepEqual(given.roles.length, 2);
    assert.ok((await as(administrator, users.listUsers, { account: null, limit: 500 })).rows.length > 5);
    await assert.rejects(
      as(administrator, users.setUserRole, { account: 999, id: user.id, role: "editor" }),
      (error) => error instanceof NotFound && error.thing === "account",
    );
    const nobody = { account: null, email: "x@example.org", name: "" };
    await assert.rejects(as(administrator, users.createUser, { ...nobody, role: "owner" }), InvalidInput);
    const created = await as(administrator, createUserToken, {
      ...{ account: null, id: user.id, name: "App", role: "editor", expiresAt: clocks.wall() + 5 },
    });
    assert.match(created.secret, /^mrt_[\w-]{43}$/);
    assert.equal((await actorOf(`Bearer ${created.secret}`)).roleIn(account), "editor");
    const one = { account: null, id: user.id, name: "App", expiresAt: null };
    await assert.rejects(
      as(administrator, createUserToken, { ...one, role: "owner" }),
      (error) =>
        error instanceof InvalidInput && /at most the role of the user, which is editor/.test(error.message),
    );
    await assert.rejects(
      as(administrator, createUserToken, { ...one, role: null, expiresAt: clocks.wall() }),
      InvalidInput,
    );
  });

  test("cannot be removed or disabled if it is the last one, except at the command line", async () => {
    for (const user of await collect(store.users.ofInstallation.pages({})))
      if (user.isAdministrator && user.id !== first.id) await home.set(user, { isAdministrator: false });
    const { id } = first;
    const isLast = (error: unknown) =>
      error instanceof NotPossible && /the last administrator/.test(error.message);
    await assert.rejects(as(administrator, users.setAdministrator, { id, isAdministrator: false }), isLast);
    await assert.rejects(as(administrator, users.disableUser, { account: null, id }), isLast);
    await as(operator, users.disableUser, { account: null, id });
    await as(operator, users.enableUser, { account: null, id });
  });

  test("with a token for less is no administrator", async () => {
    const limited = await actorOf((await home.newToken(first, "owner")).bearer);
    await assert.rejects(as(limited, users.listUsers, { account: null, limit: 5 }), Forbidden);
    const admin = await newUser(account);
    await home.set(admin, { isAdministrator: true });
    await assert.rejects(
      as(limited, setUserPassword, { ...at, id: admin.id, password: PASSWORD }),
      Forbidden,
    );
  });
});

describe("a user", () => {
  test("lists the accounts in which they have a role, and an administrator all of them", async () => {
    const listed = async (actor: Actor) =>
      (await as(actor, listAccounts, { limit: 100 })).rows.map(({ id }) => id);
    const third = await newAccount(store);
    const user = await newUser(third);
    assert.deepEqual(await listed(await working(user)), [third]);
    await home.set(user, { role: { account: third, role: null } });
    assert.deepEqual(await listed(await working(user)), []);
    assert.deepEqual(await listed(await working(await newUser(null))), [account, other, third]);
    assert.deepEqual(await listed(operator), [account, other, third]);
  });

  const withPassword = async (): Promise<User> => {
    const user = await newUser(account, "viewer");
    await as(operator, setUserPassword, { account: null, id: user.id, password: PASSWORD });
    return user;
  };
  const logInAs = async (user: User, code: string | null = null): Promise<Actor> => {
    const result = await logIn.authenticate({ email: user.email, password: PASSWORD, code }, "192.0.2.7");
    assert.ok(result.kind === "user", result.kind);
    return await actorOf(`Bearer ${(await as(result.actor, me.logIn, {})).secret}`);
  };

  test("exchanges the password for a token of twelve hours, and logs out by revoking it", async () => {
    const user = await withPassword();
    const actor = await logInAs(user);
    assert.deepEqual([actor.roleIn(account), actor.roleIn(null)], ["viewer", null]);
    const { user: shown, token } = await as(actor, me.showMe, {});
    assert.equal(shown.id, user.id);
    const [mine] = await as(actor, me.listMyTokens, {});
    assert.deepEqual(
      [mine?.id, mine?.isLogIn, mine?.expiresAt],
      [token, true, clocks.wall() + 12 * 3_600_000],
    );
    await assert.rejects(as(actor, me.logIn, {}), Forbidden, "a token is no password");
    await as(actor, me.revokeMyToken, { token: token ?? 0 });
    assert.equal((await as(actor, me.listMyTokens, {}))[0]?.revokedAt, clocks.wall());
  });

  test("changes the own password with the old one, which ends the other log-ins", async () => {
    const user = await withPassword();
    const [here, elsewhere] = [await logInAs(user), await logInAs(user)];
    const wrong = { oldPassword: "wrong", password: "another good one" };
    await assert.rejects(
      as(here, me.changePassword, wrong),
      (error) => error instanceof InvalidInput && error.input === "oldPassword",
    );
    const short = { oldPassword: PASSWORD, password: "short" };
    await assert.rejects(
      as(here, me.changePassword, short),
      (error) => error instanceof InvalidInput && error.message === "must have 12 to 256 characters",
    );
    await as(here, me.changePassword, { oldPassword: PASSWORD, password: "another good one" });
    const ended = (await store.users.tokens({ user: user.id })).filter(({ revokedAt }) => revokedAt !== null);
    assert.deepEqual(
      ended.map(({ id }) => id),
      elsewhere.proof?.kind === "token" ? [elsewhere.proof.id] : [],
    );
  });

  test("creates own tokens after a log-in, at most with the own role; a token creates none", async () => {
    const user = await withPassword();
    const actor = await logInAs(user);
    const input = { name: "Report", role: null, expiresAt: null };
    const { secret, token } = await as(actor, me.createMyToken, input);
    assert.equal(token.role, "viewer");
    await assert.rejects(as(actor, me.createMyToken, { ...input, role: "editor" }), InvalidInput);
    await assert.rejects(as(actor, me.createMyToken, { ...input, name: " " }), InvalidInput);
    const program = await actorOf(`Bearer ${secret}`);
    await assert.rejects(as(program, me.createMyToken, input), Forbidden);
    const stranger = await home.newToken(await newUser(account), "viewer");
    await assert.rejects(as(actor, me.revokeMyToken, { token: stranger.id }), NotFound);
    await home.set(user, { role: { account, role: null } });
    await assert.rejects(as(actor, me.createMyToken, input), NotPossible);
  });

  test("sets up a second factor with the password and a code, and then needs codes", async () => {
    const user = await withPassword();
    const actor = await logInAs(user);
    await assert.rejects(as(actor, me.enrolMyTotp, { password: "wrong" }), InvalidInput);
    await assert.rejects(as(actor, me.confirmMyTotp, { code: "123456" }), NotPossible);
    const { secret, uri } = await as(actor, me.enrolMyTotp, { password: PASSWORD });
    assert.match(uri, /^otpauth:\/\/totp\/Mailroll:user\d+%40example\.org\?/);
    await logInAs(user);
    await assert.rejects(as(actor, me.confirmMyTotp, { code: "12345" }), InvalidInput);
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clocks.wall() });
    const { recoveryCodes } = await as(actor, me.confirmMyTotp, { code });
    assert.equal(recoveryCodes.length, 10);
    await assert.rejects(logInAs(user), /code needed/);
    await logInAs(user, recoveryCodes[3]);
    await as(actor, me.removeMyTotp, { password: PASSWORD });
    await logInAs(user);
  });

  test("has a password of at least twelve characters that is not the address", async () => {
    const user = await newUser(account);
    for (const password of ["", "elevenchars", "a".repeat(20), user.email.toUpperCase(), "ab".repeat(129)])
      await assert.rejects(
        as(operator, setUserPassword, { account: null, id: user.id, password }),
        (error) => error instanceof InvalidInput && !error.message.includes(password || "-"),
      );
  });
});

describe("what a user does", () => {
  test("is recorded under their name in the audit log and in the history", async () => {
    const user = await newUser(account, "owner");
    const actor = await working(user);
    const { id: list } = await as(actor, createList, { ...at, name: "News", id: null });
    const person = { firstName: null, lastName: null, values: [] };
    const email = "grace@example.org";
    await as(actor, addSubscriber, { ...at, list, email, ...person });
    const audit = await as(actor, listAudit, { ...at, limit: 1, action: "list.create", since: null });
    assert.deepEqual(
      audit.rows.map((entry) => [entry.actor, entry.from]),
      [[{ kind: "user", name: String(user.id) }, "192.0.2.7"]],
    );
    assert.equal(audit.names.users.get(user.id), user.email);
    const { record, names } = await as(actor, exportSubscriber, { ...at, email });
    const origins = record?.history.map(({ origin }) => origin);
    assert.deepEqual(origins, [{ kind: "user", user: user.id }]);
    assert.equal(names.users.get(user.id), user.email);
  });

  test("a person who is also a user of the account learns so from the export, and stays a user when erased", async () => {
    const user = await newUser(account, "editor");
    const found = await as(operator, exportSubscriber, { ...at, email: user.email });
    const { id, name, createdAt, disabledAt } = user;
    assert.deepEqual(found.user, { id, name, role: "editor", createdAt, disabledAt });
    await assert.rejects(
      as(operator, exportSubscriber, { account: other, email: user.email }),
      NotFound,
      "in another account nothing is known",
    );
    assert.equal(createdAt, NOW);
  });
});
