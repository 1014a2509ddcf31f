/**
 * Authenticates requests of the console with a session. Nothing is cached: a session that is ended, and every
 * session of a user who is disabled, stop working at once. Guesses are not counted: a session has 256 random
 * bits, and a browser sends one that is over without anybody having tried anything.
 */
import { hashSecret, isUsableSession, type Session, type SessionId } from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import type { Clock } from "#domain/clocks.ts";
import type { Store } from "#domain/ports/store.ts";
import { KeyUsage } from "../key-usage.ts";

export class SessionAuthenticator {
  readonly usage: KeyUsage<SessionId>;
  readonly #store: Pick<Store, "sessions">;
  readonly #clock: Clock;

  constructor(store: Pick<Store, "sessions">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.usage = new KeyUsage((uses) => store.sessions.touch(uses));
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
