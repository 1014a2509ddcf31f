/** Users, their credentials and their tokens, as both stores keep them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditedBy } from "#domain/access/audit.ts";
import { hashToken, MAX_LOG_INS, MAX_REVOKED_TOKENS, MAX_TOKENS, newToken } from "#domain/access/session.ts";
import type { Role, User } from "#domain/access/user.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { deleteAccount } from "#jobs/in-batches.ts";
import { addressOf, NOW, newAccount } from "./actor.ts";

let number = 0;
const newAddress = () => {
  number += 1;
  return addressOf(`Ada${number}@Example.org`);
};

export function usersSuite(name: string, open: () => Promise<Store>): void {
  describe(`users, in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    const create = async (given: object = {}): Promise<User> => {
      const user = await store.users.create({
        address: newAddress(),
        name: "",
        isAdministrator: false,
        role: null,
        at: NOW,
        ...given,
      });
      assert.ok(typeof user === "object");
      return user;
    };
    const set = (id: number, settings: object, keepsAdministrator = false) =>
      store.users.set({ id, within: null, settings, keepsAdministrator });
    const tokenOf = async (user: number, given: object = {}) => {
      const secret = newToken();
      const token = await store.users.createToken({
        user,
        hash: hashToken(secret),
        name: "t",
        role: "viewer" as Role,
        isLogIn: false,
        expiresAt: null,
        at: NOW,
        ...given,
      });
      assert.ok(token);
      return { token, hash: hashToken(secret) };
    };

    test("an address belongs to one user of the installation, whatever its case", async () => {
      const account = await newAccount(store);
      const address = newAddress();
      const user = await create({ address, name: "Ada", role: { account, role: "editor" } });
      assert.deepEqual(user, {
        id: user.id,
        email: address.text,
        name: "Ada",
        isAdministrator: false,
        roles: [{ account, role: "editor" }],
        createdAt: NOW,
        disabledAt: null,
        passwordSetAt: null,
        totpSince: null,
        isTotpPending: false,
        invitationExpiresAt: null,
        timeZone: null,
      });
      const again = { address: addressOf(address.text.toUpperCase()), name: "", isAdministrator: false };
      assert.equal(await store.users.create({ ...again, role: null, at: NOW }), "AddressTaken");
      assert.deepEqual(await store.users.byAddress({ address: addressOf(address.key) }), user);
      assert.deepEqual(await store.users.byId({ id: user.id }), user);
      assert.deepEqual(await collect(store.users.all.pages({ account })), [user]);
      const page = await store.users.ofInstallation.page({}, { before: null, limit: 1 });
      assert.deepEqual([page.rows, page.next], [[user], null]);
      assert.deepEqual(await store.users.addresses({ ids: [user.id, 999_999] }), [
        { id: user.id, email: address.text },
      ]);
    });

    test("a user has a role in each of several accounts, which ends with the account", async () => {
      const [one, other] = [await newAccount(store), await newAccount(store)];
      const { id } = await create({ role: { account: one, role: "viewer" } });
      await set(id, { role: { account: other, role: "owner" } });
      const changed = await set(id, { role: { account: one, role: "editor" } });
      assert.ok(typeof changed === "object");
      assert.deepEqual(changed.roles, [
        { account: one, role: "editor" },
        { account: other, role: "owner" },
      ]);
      // The first batch, after which nobody works in the account any more.
      await store.accounts.delete({ account: other, at: NOW, lease: { owner: "x", until: 0 } });
      assert.deepEqual((await store.users.byId({ id }))?.roles, [{ account: one, role: "editor" }]);
      await deleteAccount(store, { account: other, at: NOW });
      await set(id, { role: { account: one, role: null } });
      assert.deepEqual((await store.users.byId({ id }))?.roles, []);
      assert.equal(await set(id, { role: { account: other, role: "owner" } }), "UnknownAccount");
      assert.equal(await set(999_999, { name: "X" }), "UnknownUser");
      const nowhere = { address: newAddress(), name: "", isAdministrator: false, at: NOW };
      const role = { account: other, role: "owner" } as const;
      assert.equal(await store.users.create({ ...nowhere, role }), "UnknownAccount");
    });

    test("a user who is disabled twice keeps the first date", async () => {
      const { id } = await create();
      for (const disabledAt of [NOW + 1, NOW + 2]) await set(id, { disabledAt });
      assert.equal((await store.users.byId({ id }))?.disabledAt, NOW + 1);
      await set(id, { name: "X" });
      assert.equal((await store.users.byId({ id }))?.disabledAt, NOW + 1);
      await set(id, { disabledAt: null });
      assert.equal((await store.users.byId({ id }))?.disabledAt, null);
    });

    test("the last administrator who is enabled can be kept, also against two who remove each other", async () => {
      const [one, other] = [await create({ isAdministrator: true }), await create({ isAdministrator: true })];
      const results = await Promise.all([
        set(one.id, { isAdministrator: false }, true),
        set(other.id, { disabledAt: NOW }, true),
      ]);
      assert.equal(results.filter((result) => result === "LastAdministrator").length, 1);
      const left = (await collect(store.users.ofInstallation.pages({}))).filter(
        (user) => user.isAdministrator && user.disabledAt === null,
      );
      assert.equal(left.length, 1);
      for (const { id } of left) {
        assert.equal(typeof (await set(id, { name: "Still" }, true)), "object");
        assert.equal(typeof (await set(id, { isAdministrator: false })), "object");
      }
    });

    test("a new password ends the log-ins of the user except one, and no other token", async () => {
      const { id } = await create();
      const logIn = { isLogIn: true, expiresAt: NOW + 1000 };
      const [kept, ended] = [await tokenOf(id, logIn), await tokenOf(id, logIn)];
      const program = await tokenOf(id);
      const changed = await store.users.setPassword({
        id,
        within: null,
        hash: "H1",
        at: NOW + 5,
        keeps: kept.token.id,
      });
      assert.equal(changed?.passwordSetAt, NOW + 5);
      const revoked = new Map((await store.users.tokens({ user: id })).map((one) => [one.id, one.revokedAt]));
      assert.deepEqual(
        [kept, ended, program].map(({ token }) => revoked.get(token.id)),
        [null, NOW + 5, null],
      );
      const found = await store.users.credentials({ id });
      assert.deepEqual([found?.passwordHash, found?.totpSecret, found?.user.id], ["H1", null, id]);
      await store.users.rehash({ id, old: "another", hash: "H2" });
      assert.equal((await store.users.credentials({ id }))?.passwordHash, "H1");
      await store.users.rehash({ id, old: "H1", hash: "H2" });
      assert.equal((await store.users.credentials({ id }))?.passwordHash, "H2");
    });

    test("a second factor is in effect after its confirmation, and each of its codes works once", async () => {
      const { id, email } = await create();
      const of = { id, within: null };
      const read = () => store.users.credentials({ address: addressOf(email) });
      assert.equal((await store.users.enrolTotp({ ...of, secret: "S1" }))?.isTotpPending, true);
      assert.deepEqual([(await read())?.totpSecret, (await read())?.totpPending], [null, "S1"]);
      const [first, second] = [hashToken("a"), hashToken("b")];
      const confirmation = { ...of, step: 100, recoveryHashes: [first, second], at: NOW };
      assert.equal(await store.users.confirmTotp({ ...confirmation, secret: "S0" }), null);
      const confirmed = await store.users.confirmTotp({ ...confirmation, secret: "S1" });
      assert.deepEqual([confirmed?.totpSince, confirmed?.isTotpPending], [NOW, false]);
      assert.deepEqual([(await read())?.totpSecret, (await read())?.totpPending], ["S1", null]);
      assert.equal(await store.users.useTotpStep({ id, step: 100 }), false, "the confirming code");
      const both = [store.users.useTotpStep({ id, step: 101 }), store.users.useTotpStep({ id, step: 101 })];
      assert.deepEqual(new Set(await Promise.all(both)), new Set([true, false]));
      assert.equal(await store.users.useRecoveryCode({ id, hash: first }), true);
      assert.equal(await store.users.useRecoveryCode({ id, hash: first }), false);
      await store.users.removeTotp(of);
      assert.equal((await read())?.totpSecret, null);
      assert.equal(await store.users.useRecoveryCode({ id, hash: second }), false);
    });

    test("a token is found by its hash with its user, and remembers its last use", async () => {
      const account = await newAccount(store);
      const user = await create({ role: { account, role: "owner" } });
      const { token, hash } = await tokenOf(user.id, { name: "Report", role: "editor", expiresAt: NOW + 9 });
      assert.deepEqual(token, {
        id: token.id,
        user: user.id,
        name: "Report",
        role: "editor",
        isLogIn: false,
        createdAt: NOW,
        expiresAt: NOW + 9,
        revokedAt: null,
        lastUsedAt: null,
      });
      assert.deepEqual(await store.users.byToken({ hash }), { token, user });
      assert.equal(await store.users.byToken({ hash: hashToken("other") }), null);
      await store.users.touchTokens({ uses: [{ id: token.id, at: NOW + 7 }] });
      await store.users.touchTokens({ uses: [{ id: token.id, at: NOW + 3 }] });
      const used = await store.users.recentTokens({ since: NOW + 7, limit: 5 });
      assert.deepEqual(
        used.map(({ hash: each, at }) => [Buffer.from(each).toString("hex"), at]),
        [[hash.toString("hex"), NOW + 7]],
      );
      const one = { user: user.id, id: token.id };
      for (const at of [NOW + 8, NOW + 9])
        assert.equal((await store.users.revokeToken({ ...one, at }))?.revokedAt, NOW + 8);
      assert.deepEqual(await store.users.recentTokens({ since: NOW + 7, limit: 5 }), []);
      const another = await create();
      assert.equal(await store.users.revokeToken({ ...one, user: another.id, at: NOW }), null);
    });

    test("the tokens of a user are limited; a new log-in ends the oldest one", async () => {
      const { id: user } = await create();
      for (let n = 0; n < MAX_TOKENS; n += 1) await tokenOf(user);
      const more = { user, name: "", role: "viewer", isLogIn: false, expiresAt: null, at: NOW } as const;
      assert.equal(await store.users.createToken({ ...more, hash: hashToken(newToken()) }), null);
      const logIn = { isLogIn: true, expiresAt: NOW + 1000 };
      const first = await tokenOf(user, logIn);
      for (let n = 0; n < MAX_LOG_INS; n += 1) await tokenOf(user, logIn);
      assert.equal(await store.users.byToken({ hash: first.hash }), null);
      await tokenOf(user, { ...logIn, at: NOW + 2000, expiresAt: NOW + 3000 });
      const logIns = (await store.users.tokens({ user })).filter(({ isLogIn }) => isLogIn);
      assert.equal(logIns.length, 1, "those that are over are deleted");
    });

    test("of the revoked tokens of a user the newest are kept; those that work are all listed", async () => {
      const { id: user } = await create();
      const kept = await tokenOf(user);
      for (let n = 0; n <= MAX_REVOKED_TOKENS; n += 1) {
        const { token } = await tokenOf(user);
        await store.users.revokeToken({ user, id: token.id, at: NOW });
      }
      const last = await tokenOf(user);
      const tokens = await store.users.tokens({ user });
      assert.deepEqual([tokens[0]?.id, tokens.at(-1)?.id], [kept.token.id, last.token.id]);
      assert.equal(tokens.length, 2 + MAX_REVOKED_TOKENS);
    });

    test("every change leaves an entry in the audit log, without a hash or a secret", async () => {
      const account = await newAccount(store);
      const by = (action: string): { audit: AuditedBy } => ({
        audit: { at: NOW, origin: { kind: "user", user: 7 }, from: "192.0.2.7", action },
      });
      const user = await create({ role: { account, role: "viewer" }, ...by("create") });
      const { id } = user;
      const change = { id, within: account, keepsAdministrator: false };
      const role = { account, role: "owner" } as const;
      await store.users.set({ ...change, settings: { role }, ...by("role") });
      await store.users.set({ ...change, settings: { role }, ...by("no-op") });
      await store.users.setPassword({ id, within: account, hash: "SECRET", at: 5, keeps: null, ...by("pw") });
      await store.users.enrolTotp({ id, within: account, secret: "SECRET", ...by("enrol") });
      const { token } = await tokenOf(id, by("token"));
      const none = {
        passwordSetAt: null,
        totpSince: null,
        isTotpPending: false,
        disabledAt: null,
        timeZone: null,
      };
      const { rows } = await store.audit.ofInstallation.page(
        { action: null, since: null },
        { after: null, limit: 5 },
      );
      assert.deepEqual(
        rows
          .toReversed()
          .map((entry) => [entry.action, entry.account, entry.about, entry.before, entry.after]),
        [
          [
            "create",
            account,
            { kind: "user", id: `${id}` },
            null,
            { name: "", role: "viewer", isAdministrator: false, ...none },
          ],
          ["role", account, { kind: "user", id: `${id}` }, { role: "viewer" }, { role: "owner" }],
          ["pw", account, { kind: "user", id: `${id}` }, { passwordSetAt: null }, { passwordSetAt: 5 }],
          [
            "enrol",
            account,
            { kind: "user", id: `${id}` },
            { isTotpPending: false },
            { isTotpPending: true },
          ],
          [
            "token",
            null,
            { kind: "token", id: `${token.id}` },
            null,
            { user: id, name: "t", role: "viewer", expiresAt: null, revokedAt: null },
          ],
        ],
      );
      assert.deepEqual(rows[0]?.actor, { kind: "user", name: "7" });
      assert.doesNotMatch(JSON.stringify(rows), /SECRET/);
    });
  });
}
