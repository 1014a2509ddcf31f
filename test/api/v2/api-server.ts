/** Serves the API alone, over a real store, for callers whose roles a test decides. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MailTools } from "#admin/kit/mail-tools.ts";
import { Admission } from "#admission/admission.ts";
import { limitsFor } from "#admission/limits.ts";
import { addApi } from "#api/v2/api.ts";
import type { TaggedRoute } from "#api/v2/kit/route.ts";
import { loadConfig } from "#app/settings/load-config.ts";
import { BruteForceGuard } from "#auth/brute-force-guard.ts";
import { LogIn } from "#auth/users/log-in.ts";
import { Passwords } from "#auth/users/passwords.ts";
import { TokenAuthenticator } from "#auth/users/token-authenticator.ts";
import { threadedRenderer } from "#delivery/previews/threaded-renderer.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { Role } from "#domain/access/user.ts";
import { parseAddress } from "#domain/address.ts";
import type { Store } from "#domain/ports/store.ts";
import { BodyReader } from "#http/body/body.ts";
import { ClientAddresses } from "#http/client-address.ts";
import { HttpServer } from "#http/server.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sendRequest } from "../../send-request.ts";
import { mailTo } from "../../sending-campaign.ts";

/** One user per role; the id is that of the place. */
export const users: readonly Role[] = ["viewer", "editor", "owner", "administrator"];
const LIMIT = 4 * 1024 ** 2;
/** Quick, for passwords that protect nothing. */
export const testPasswords = new Passwords({ ln: 4, r: 8, p: 1 });
/** A token that the store has. */
export type StoredToken = `mrt_${string}`;

export interface ApiServer {
  readonly store: Store;
  readonly mail: MailTools;
  /** The folder to which messages are written. */
  readonly outbox: string;
  readonly defects: unknown[];
  /** With a slash at its end. */
  readonly address: string;
  /** Emits `checked` when the token of a request has been checked. */
  readonly tokens: EventEmitter;
  /**
   * `token` is the name of a role, with `@` and the id of an account in that one only, or a token that the
   * store has; null sends none.
   */
  send(
    method: string,
    path: string,
    options?: {
      readonly token?: Role | `${Role}@${string}` | StoredToken | null;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<Response>;
  close(): Promise<void>;
}

/** As after a log-in. */
const actorOf = (role: Role, within?: string): Actor => ({
  origin: { kind: "user", user: users.indexOf(role) + 1 },
  from: "127.0.0.1",
  roleIn: (account) => {
    if (account === null && role !== "administrator") return null;
    return within === undefined || within === String(account) ? role : null;
  },
  ...(within === undefined ? {} : { accounts: [Number(within)] }),
  proof: { kind: "password" },
});

/** In an empty store their ids are those of the actors. */
async function makeUsers(store: Store): Promise<void> {
  for (const role of users) {
    const address = parseAddress(`${role}@example.org`);
    assert.ok(address);
    const isAdministrator = role === "administrator";
    await store.users.create({ address, name: "", isAdministrator, role: null, at: 1 });
  }
}

/** `open` opens another store than a new SQLite file. */
export async function startApi(
  routes?: readonly TaggedRoute[],
  open: (file: string) => Promise<Store> = (file) =>
    SqliteStore.open(file, { days: 90, rows: 1000, bytes: 2 ** 28 }),
): Promise<ApiServer> {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-"));
  const store = await open(join(folder, "m.db"));
  await makeUsers(store);
  const outbox = join(folder, "outbox");
  const renderer = threadedRenderer();
  const mail = { ...mailTo(outbox), renderer };
  const defects: unknown[] = [];
  const checks = new EventEmitter();
  const limits = limitsFor(LIMIT);
  // Time stands still: on a slow machine, no client loses its slot for reading slowly.
  const admission = new Admission(limits, () => 0);
  const clients = new ClientAddresses([]);
  const { tokens, logIn } = authenticationIn(store);
  const server = new HttpServer(() => false, new BodyReader(LIMIT, admission), { clients });
  addApi(
    server.fastify,
    {
      store,
      admission,
      clients,
      prefix: "",
      baseOf: ({ headers }) => `http://${headers.host ?? "localhost"}`,
      version: "1.0.0",
      clock: Date.now,
      settings: loadConfig({ flags: {}, env: {}, folder }).shown,
      mail,
      wakeJobs: () => {},
      logIn: (given, client) => logIn.authenticate(given, client),
      passwordCheck: (user, password, client) => logIn.isPasswordOf(user, password, client),
      authenticate: async (authorization, client) => {
        if (authorization?.startsWith("Bearer mrt_") === true)
          return await tokens.authenticate(authorization, client).finally(() => checks.emit("checked"));
        const [, named, within] = /^Bearer (\w+)(?:@(\d+))?$/.exec(authorization ?? "") ?? [];
        const role = users.find((one) => one === named);
        if (role === undefined) return null;
        return actorOf(role, within);
      },
      onDefect: (error) => {
        defects.push(error);
        return "R-1";
      },
    },
    routes,
  );
  const port = await server.listen("127.0.0.1", 0);
  return {
    store,
    mail,
    outbox,
    defects,
    address: `http://127.0.0.1:${port}/api/v2/`,
    tokens: checks,
    send: async (method, path, { token = "owner", body, headers = {} } = {}) => {
      const {
        status,
        headers: received,
        body: text,
      } = await sendRequest(`http://127.0.0.1:${port}/api/v2${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const hasNone = status === 204 || status === 304;
      return new Response(hasNone ? null : text, { status, headers: received });
    },
    close: async () => {
      await server.close(0);
      await renderer.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** All tests come from one client, which is never rate-limited. */
function authenticationIn(store: Store) {
  const clocks = { wall: Date.now, monotonic: () => performance.now(), pause: async () => {} };
  const guard = new BruteForceGuard({
    clock: clocks.monotonic,
    onRefused: () => {},
    limits: { free: 1e9, slow: 0, periodMs: 1 },
  });
  return {
    tokens: new TokenAuthenticator({
      store,
      clocks,
      guard,
      onLoadFailed: (error) => {
        throw error;
      },
    }),
    logIn: new LogIn({ store, clocks, guard, onRefused: () => {}, passwords: testPasswords }),
  };
}
