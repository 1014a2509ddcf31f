/** Serves the console over a real store, for browsers without JavaScript. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Admission } from "#admission/admission.ts";
import { limitsFor } from "#admission/limits.ts";
import { addAssetRoutes } from "#app/not-found-pages.ts";
import { BruteForceGuard } from "#auth/brute-force-guard.ts";
import { LogIn } from "#auth/users/log-in.ts";
import { SessionAuthenticator } from "#auth/users/token-authenticator.ts";
import { addConsole } from "#console/console.ts";
import type { ConsoleOptions } from "#console/kit/options.ts";
import type { AnyPage } from "#console/kit/page.ts";
import { hashSecret, newSecret, SESSION_MS } from "#domain/access/session.ts";
import type { AccountRole, User } from "#domain/access/user.ts";
import { parseAddress } from "#domain/address.ts";
import type { Store } from "#domain/ports/store.ts";
import type { SettingValue } from "#domain/setting-value.ts";
import { BodyReader } from "#http/body/body.ts";
import { ClientAddresses } from "#http/client-address.ts";
import { HttpServer } from "#http/server.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { testPasswords } from "../api/v2/api-server.ts";
import { mailTo } from "../sending-campaign.ts";
import { Browser } from "./browser.ts";

const LIMIT = 4 * 1024 ** 2;

export interface ConsoleServer {
  readonly store: Store;
  readonly origin: string;
  readonly defects: unknown[];
  /** Where messages are written to. */
  readonly outbox: string;
  /** The wall clock of the server; a test may move it. */
  now: number;
  /** A browser that is signed in as a new user with this role in the account; null: as an administrator. */
  signedIn(role: AccountRole | null, account?: number): Promise<Browser & { readonly user: User }>;
  /** Writes when sessions were used, as the service does every few seconds. */
  flush(): Promise<void>;
  /** Nobody is signed in. */
  browser(): Browser;
  close(): Promise<void>;
}

export interface ConsoleServerOptions {
  /** The public address; otherwise that of the server. */
  readonly base?: string;
  /** Instead of all pages. */
  readonly pages?: readonly AnyPage[] | ((options: ConsoleOptions) => readonly AnyPage[]);
  readonly heartbeatMs?: number;
  /** Those that the service was started with. */
  readonly settings?: readonly SettingValue[];
  readonly troubles?: ConsoleOptions["troubles"];
  /** The address in the links of messages; null: not set. */
  readonly mailBase?: string | null;
  /** Opens another store than a new SQLite file. */
  readonly open?: (file: string) => Promise<Store>;
}

let openStore = (file: string): Promise<Store> =>
  SqliteStore.open(file, { days: 90, rows: 1000, bytes: 2 ** 28 });

/** For all consoles that this process starts from now on. */
export function openStoresWith(open: () => Promise<Store>): void {
  openStore = open;
}

export async function startConsole({
  base,
  pages,
  heartbeatMs,
  settings = [],
  troubles = async () => [],
  open = openStore,
  mailBase = "https://mail.example.org",
}: ConsoleServerOptions = {}): Promise<ConsoleServer> {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-"));
  const store = await open(join(folder, "m.db"));
  const defects: unknown[] = [];
  const admission = new Admission(limitsFor(LIMIT), () => 0);
  const clients = new ClientAddresses([]);
  const closing = new AbortController();
  const server = new HttpServer(() => false, new BodyReader(LIMIT, admission), { clients });
  let users = 0;
  let port = 0;
  const sessions = new SessionAuthenticator(store, () => running.now);
  const running: ConsoleServer = {
    store,
    get origin() {
      return `http://localhost:${port}`;
    },
    defects,
    outbox: join(folder, "outbox"),
    now: Date.now(),
    flush: () => sessions.usage.flush(),
    browser: () => new Browser(running.origin),
    signedIn: async (role, account = 1) => {
      users += 1;
      const address = parseAddress(`user${users}@example.org`);
      assert.ok(address);
      const user = await store.users.create({
        address,
        name: "",
        isAdministrator: role === null,
        role: role === null ? null : { account, role },
        at: running.now,
      });
      assert.ok(typeof user === "object");
      const secret = newSecret();
      const session = { user: user.id, hash: hashSecret(secret), client: "::1", program: "Firefox" };
      const times = { at: running.now, expiresAt: running.now + SESSION_MS };
      await store.sessions.create({ ...session, ...times });
      const browser = running.browser();
      browser.cookies.set("mailroll-session", secret);
      return Object.assign(browser, { user });
    },
    close: async () => {
      closing.abort();
      await server.close(0);
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
  const clock = (): number => running.now;
  const clocks = { wall: clock, monotonic: clock, pause: async () => {} };
  const guard = new BruteForceGuard({ clock, pause: clocks.pause, onRefused: () => {} });
  const logIn = new LogIn({ store, clocks, guard, onRefused: () => {}, passwords: testPasswords });
  const options: ConsoleOptions = {
    store,
    findSession: (secret) => sessions.find(secret),
    passwordCheck: (user, password, client) => logIn.isPasswordOf(user, password, client),
    codeCheck: (user, check) => logIn.isCodeRight(user, check),
    settings,
    mail: mailTo(running.outbox, mailBase),
    givePassword: (given, client) => logIn.givePassword(given, client),
    giveCode: (given, code, client) => logIn.giveCode(given, code, client),
    useLink: (secret, code, client) => logIn.useLink(secret, code, client),
    admission,
    clients,
    clock,
    onDefect: (error) => {
      defects.push(error);
      return "R-1";
    },
    version: "1.0.0",
    wakeJobs: () => {},
    troubles,
    prefix: base === undefined ? "" : new URL(base).pathname.replace(/\/$/, ""),
    baseOf: () => base ?? running.origin,
    closing: closing.signal,
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  };
  addAssetRoutes(server.fastify, "");
  addConsole(server.fastify, options, typeof pages === "function" ? pages(options) : pages);
  port = await server.listen("127.0.0.1", 0);
  return running;
}
