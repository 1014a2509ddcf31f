/**
 * Authenticates requests with the token of a user (`Authorization: Bearer mrt_…`). Failures are counted by
 * the brute-force guard of the API keys. As with keys, a client that is refused keeps working with tokens
 * that worked for it within the last 24 hours.
 *
 * Nothing is cached: a token that is revoked, and every token of a user who is disabled, stop working at
 * once. API keys are not tokens, and tokens are not API keys.
 */
import type { Actor } from "#domain/access/actor.ts";
import {
  hashSecret,
  hashToken,
  isToken,
  isUsableSession,
  isUsableToken,
  type Session,
  type SessionId,
  type TokenId,
} from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import type { Clock, Clocks } from "#domain/clocks.ts";
import type { Store } from "#domain/ports/store.ts";
import { bearerOf } from "../authenticator.ts";
import type { BruteForceGuard } from "../brute-force-guard.ts";
import { LastUse } from "../last-use.ts";
import { hashText, RecentKeys } from "../recent-keys.ts";
import { userActor } from "./actor.ts";

/** The recently used tokens are read from the database at most this often. */
const REFRESH_MS = 10_000;

interface TokenAuthenticatorOptions {
  readonly store: Pick<Store, "users">;
  readonly clocks: Clocks;
  readonly guard: BruteForceGuard;
  /** The recently used tokens could not be read; known tokens keep working. */
  readonly onLoadFailed: (error: unknown) => void;
}

export class TokenAuthenticator {
  readonly usage: LastUse<TokenId>;
  readonly #options: TokenAuthenticatorOptions;
  readonly #recent = new RecentKeys();
  #refreshedAt = Number.NEGATIVE_INFINITY;

  constructor(options: TokenAuthenticatorOptions) {
    this.#options = options;
    this.usage = new LastUse((uses) => options.store.users.touchTokens(uses));
  }

  /**
   * `authorization`: the value of that header. null if there is no token, or if it is unknown, expired or
   * revoked, or if its user is disabled. Throws Throttled.
   */
  async authenticate(authorization: string | undefined, client: string): Promise<Actor | null> {
    const given = bearerOf(authorization);
    if (given === null) return null;
    const actor = isToken(given) ? await this.#find(given, client) : null;
    if (actor === null) await this.#options.guard.failed(client, "token");
    return actor;
  }

  async #find(token: string, client: string): Promise<Actor | null> {
    const { store, clocks, guard } = this.#options;
    const now = clocks.monotonic();
    const hash = hashToken(token);
    const text = hashText(hash);
    const end = this.#recent.has(text, client, now) ? null : guard.beginLookUp(client, "token");
    try {
      const found = await store.users.byToken({ hash });
      const wallNow = clocks.wall();
      if (found === null || !isUsableToken(found.token, found.user, wallNow)) {
        this.#recent.forget(text);
        return null;
      }
      const { id, isLogIn, role } = found.token;
      this.#recent.used(text, client, now);
      this.usage.used(id, wallNow);
      return userActor(found.user, { kind: "token", id, isLogIn }, role, client);
    } finally {
      end?.();
    }
  }

  /** To be called when a client becomes rate-limited: tokens may have been used through other processes. */
  refresh(): void {
    const now = this.#options.clocks.monotonic();
    if (now - this.#refreshedAt < REFRESH_MS) return;
    this.#refreshedAt = now;
    void this.loadRecent();
  }

  /**
   * Reads the recently used tokens from the database; to be called before the first request is served. Never
   * rejects.
   */
  async loadRecent(): Promise<void> {
    const { store, clocks, onLoadFailed } = this.#options;
    const [now, wallNow] = [clocks.monotonic(), clocks.wall()];
    try {
      this.#recent.merge(await store.users.recentTokens(RecentKeys.since(wallNow)), wallNow, now);
    } catch (error) {
      onLoadFailed(error);
    }
  }
}

/**
 * Authenticates requests of the console with a session. Nothing is cached: a session that is ended, and every
 * session of a user who is disabled, stop working at once. Guesses are not counted: a session has 256 random
 * bits, and a browser sends an expired one by itself.
 */
export class SessionAuthenticator {
  readonly usage: LastUse<SessionId>;
  readonly #store: Pick<Store, "sessions">;
  readonly #clock: Clock;

  constructor(store: Pick<Store, "sessions">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.usage = new LastUse((uses) => store.sessions.touch(uses));
  }

  /** null: unknown, ended, not used for too long, too old, or its user is disabled. */
  async find(secret: string): Promise<{ readonly session: Session; readonly user: User } | null> {
    const found = await this.#store.sessions.byHash({ hash: hashSecret(secret) });
    const now = this.#clock();
    if (found === null || !isUsableSession(found.session, found.user, now)) return null;
    this.usage.used(found.session.id, now);
    return found;
  }
}
