/** A store with users, and the clocks and guard that authentication works with. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { BruteForceGuard } from "#auth/brute-force-guard.ts";
import { hashToken, newToken } from "#domain/access/session.ts";
import type { AccountRole, Role, User } from "#domain/access/user.ts";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { addressOf, newAccount } from "../../store/actor.ts";

export const NOW = Date.UTC(2026, 10, 14, 9, 30);

const retention = { days: 90, rows: 5, bytes: 2 ** 28 };

/** `url`: a PostgreSQL database instead of a new SQLite file. */
export async function usersInstallation(url?: string) {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-users-"));
  const store: Store = await (url === undefined
    ? SqliteStore.open(join(folder, "m.db"), retention)
    : PostgresStore.open(url, retention));
  after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const time = { now: 0 };
  const clocks = {
    wall: () => NOW + time.now,
    monotonic: () => 1e6 + time.now,
    pause: async () => {},
  };
  const newGuard = () =>
    new BruteForceGuard({ clock: clocks.monotonic, pause: clocks.pause, onRefused: () => {} });
  let number = 0;
  return {
    store,
    time,
    clocks,
    newGuard,
    account: await newAccount(store),
    newUser: async (account: number | null, role: AccountRole = "viewer"): Promise<User> => {
      number += 1;
      const user = await store.users.create({
        address: addressOf(`user${number}@example.org`),
        name: "",
        isAdministrator: account === null,
        role: account === null ? null : { account, role },
        at: NOW,
      });
      assert.ok(typeof user === "object");
      return user;
    },
    newToken: async ({ id: user }: User, role: Role, given: object = {}) => {
      const secret = newToken();
      const token = await store.users.createToken({
        user,
        hash: hashToken(secret),
        name: "t",
        role,
        isLogIn: false,
        expiresAt: null,
        at: NOW,
        ...given,
      });
      assert.ok(token);
      return { ...token, secret, bearer: `Bearer ${secret}` };
    },
    set: async ({ id }: User, settings: object) => {
      const changed = await store.users.set({ id, within: null, settings, keepsAdministrator: false });
      assert.ok(typeof changed === "object");
    },
  };
}
