/** Sessions and sign-in links on both stores. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  hashSecret,
  INVITATION_MS,
  LINK_MS,
  MAX_SESSIONS,
  SESSION_IDLE_MS,
  SESSION_MS,
} from "#domain/access/session.ts";
import type { UserSettings } from "#domain/ports/access/users.ts";
import { bothStores } from "../shared-postgres.ts";
import { addressOf, NOW, newAccount } from "./actor.ts";
import { purge } from "./job-steps.ts";

for (const [name, open] of await bothStores())
  describe(`sessions in ${name}`, async () => {
    const store = await open();
    after(() => store.close());
    let made = 0;
    const newUser = async (isAdministrator = false): Promise<number> => {
      made += 1;
      const address = addressOf(`u${made}@example.org`);
      const user = await store.users.create({ address, name: "", isAdministrator, role: null, at: NOW });
      assert.ok(typeof user === "object");
      return user.id;
    };
    const begin = (user: number, secret: string, at = NOW) =>
      store.sessions.create({
        ...{ user, hash: hashSecret(secret), client: "192.0.2.1", program: "Firefox" },
        ...{ at, expiresAt: at + SESSION_MS },
      });
    const find = (secret: string) => store.sessions.byHash({ hash: hashSecret(secret) });
    const linkTo = (user: number | null, secret: string, at = NOW) =>
      store.sessions.createLink({ hash: hashSecret(secret), user, at, expiresAt: at + LINK_MS });
    const invite = (user: number, secret: string, at = NOW) =>
      store.sessions.createLink({
        ...{ hash: hashSecret(secret), user, kind: "invitation", at, expiresAt: at + INVITATION_MS },
      });
    const use = (secret: string, at = NOW) => store.sessions.useLink({ hash: hashSecret(secret), at });

    test("the first administrator is created once, and only with a link for it", async () => {
      assert.equal(await store.sessions.hasAdministrator(), false);
      const user = await newUser();
      await linkTo(user, "of a user");
      await linkTo(null, "first");
      await linkTo(null, "second");
      const create = (secret: string, email: string, at = NOW) =>
        store.sessions.createFirstAdministrator({
          ...{ hash: hashSecret(secret), at, address: addressOf(email), name: "Ada", passwordHash: "h" },
        });
      assert.equal(await create("of a user", "ada@example.org"), "UnknownLink");
      assert.equal(await create("first", "ada@example.org", NOW + LINK_MS), "UnknownLink");
      assert.equal(await create("first", "u1@example.org"), "AddressTaken");
      const both = await Promise.all([
        create("first", "ada@example.org"),
        create("second", "bob@example.org"),
      ]);
      assert.deepEqual(both.map((one) => typeof one).sort(), ["object", "string"]);
      assert.ok(both.includes("HasAdministrator"));
      assert.equal(await store.sessions.hasAdministrator(), true);
      assert.equal(await use("second"), null);
    });

    test("an invitation sets a password once, within its time; a link to sign in sets none", async () => {
      const [user, other] = [await newUser(), await newUser()];
      const accept = async (secret: string, at = NOW) => {
        const given = { hash: hashSecret(secret), at, passwordHash: "h" };
        return (await store.sessions.acceptInvitation(given))?.id ?? null;
      };
      await begin(user, "invited");
      await linkTo(user, "signs in");
      await linkTo(null, "first of all");
      await invite(user, "replaced");
      await invite(user, "invites");
      await invite(other, "invites another");
      for (const secret of ["signs in", "first of all", "replaced", "unknown"])
        assert.equal(await accept(secret), null, secret);
      assert.equal(await use("invites"), null, "it does not sign in");
      assert.equal(await accept("invites", NOW + INVITATION_MS), null);
      const both = await Promise.all([accept("invites"), accept("invites", NOW + INVITATION_MS - 1)]);
      assert.deepEqual(new Set(both), new Set([null, user]));
      assert.equal((await store.users.credentials({ id: user }))?.passwordHash, "h");
      assert.equal(await find("invited"), null);
      assert.equal(await use("signs in"), null);
      const disabled = { id: other, within: null, keepsAdministrator: false };
      await store.users.set({ ...disabled, settings: { disabledAt: NOW } });
      await invite(other, "invites a disabled user");
      assert.equal(await accept("invites a disabled user"), null);
    });

    test("withdrawing an invitation leaves links to sign in", async () => {
      const user = await newUser();
      await linkTo(user, "stays");
      assert.equal(await store.sessions.withdrawInvitation({ user }), false);
      await invite(user, "goes");
      assert.equal(await store.sessions.withdrawInvitation({ user }), true);
      assert.equal((await use("stays"))?.user, user);
    });

    test("a session is found by its hash until it is ended by its user", async () => {
      const [user, other] = [await newUser(), await newUser()];
      const session = await begin(user, "a");
      assert.deepEqual((await find("a"))?.session, session);
      assert.equal((await find("a"))?.user.id, user);
      assert.equal(await store.sessions.end({ user: other, id: session.id }), null);
      assert.deepEqual(await store.sessions.end({ user, id: session.id }), session);
      assert.equal(await find("a"), null);
    });

    test("the time of the last use never moves back, and decides which sessions are listed", async () => {
      const user = await newUser();
      const { id } = await begin(user, "b");
      await store.sessions.touch({ uses: [{ id, at: NOW + 10 }] });
      await store.sessions.touch({ uses: [{ id, at: NOW + 5 }] });
      assert.equal((await find("b"))?.session.lastUsedAt, NOW + 10);
      const listed = async (at: number) => (await store.sessions.ofUser({ user, at })).length;
      assert.equal(await listed(NOW + 9 + SESSION_IDLE_MS), 1);
      assert.equal(await listed(NOW + 10 + SESSION_IDLE_MS), 0);
    });

    test("a further sign-in ends the oldest session of the user", async () => {
      const user = await newUser();
      for (let n = 0; n <= MAX_SESSIONS; n += 1) await begin(user, `many ${n}`);
      assert.equal((await store.sessions.ofUser({ user, at: NOW })).length, MAX_SESSIONS);
      assert.equal(await find("many 0"), null);
      assert.notEqual(await find("many 1"), null);
    });

    test("a new password ends all sessions but the one that it keeps, and the links", async () => {
      const [user, other] = [await newUser(), await newUser()];
      const kept = await begin(user, "kept");
      await begin(user, "dropped");
      await begin(other, "of another");
      await linkTo(user, "link");
      const of = { id: user, within: null, hash: "h", at: NOW, keeps: null };
      await store.users.setPassword({ ...of, keepsSession: kept.id });
      assert.notEqual(await find("kept"), null);
      assert.equal(await find("dropped"), null);
      assert.notEqual(await find("of another"), null);
      assert.equal(await use("link"), null);
    });

    test("disabling a user ends the sessions; other settings do not", async () => {
      const user = await newUser();
      await begin(user, "d");
      const of = { id: user, within: null, keepsAdministrator: false };
      const set = await store.users.set({ ...of, settings: { name: "D", timeZone: "Europe/Berlin" } });
      assert.ok(typeof set === "object" && set.timeZone === "Europe/Berlin");
      assert.notEqual(await find("d"), null);
      await store.users.set({ ...of, settings: { disabledAt: NOW } });
      assert.equal(await find("d"), null);
    });

    test("a user who gets a role in a further account, or becomes an administrator, signs in again", async () => {
      const [here, there] = [await newAccount(store), await newAccount(store)];
      const user = await newUser();
      const grant = (settings: UserSettings) =>
        store.users.set({ id: user, within: null, keepsAdministrator: false, settings });
      await grant({ role: { account: here, role: "viewer" } });
      for (const [nth, settings] of [
        { role: { account: there, role: "viewer" } },
        { isAdministrator: true },
      ].entries()) {
        await begin(user, `before ${nth}`);
        await linkTo(user, `link before ${nth}`);
        await grant({ role: { account: here, role: "editor" } });
        assert.notEqual(await find(`before ${nth}`), null);
        await grant(settings as UserSettings);
        assert.equal(await find(`before ${nth}`), null);
        assert.equal(await use(`link before ${nth}`), null);
      }
      await begin(user, "of the administrator");
      await grant({ role: { account: await newAccount(store), role: "owner" } });
      assert.notEqual(await find("of the administrator"), null);
    });

    test("of two who use a link at the same time, one succeeds", async () => {
      const user = await newUser();
      const kind = "sign-in";
      await linkTo(user, "once");
      assert.deepEqual(await store.sessions.link({ hash: hashSecret("once"), at: NOW }), { user, kind });
      const used = await Promise.all([use("once"), use("once"), use("once")]);
      assert.deepEqual(
        used.filter((one) => one !== null),
        [{ user, kind }],
      );
      await linkTo(user, "late");
      assert.equal(await use("late", NOW + LINK_MS), null);
    });

    test("maintenance deletes what is over, and nothing else", async () => {
      const user = await newUser();
      const later = NOW + SESSION_IDLE_MS;
      await begin(user, "idle");
      await begin(user, "fresh", later);
      await linkTo(user, "stale");
      await linkTo(user, "new", later);
      await purge(store, later);
      assert.equal(await find("idle"), null);
      assert.notEqual(await find("fresh"), null);
      assert.notEqual(await use("new", later), null);
      assert.equal(await use("stale"), null);
    });
  });
