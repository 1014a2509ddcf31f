/**
 * Verifies the links of requests. Guessing is rate-limited per client, by failures alone: a genuine link is
 * never refused, because one address of a mail provider acts for many people.
 */
import type { BruteForceGuard } from "../auth/brute-force-guard.ts";
import { Fault } from "../contract/faults.ts";
import type { AccountId } from "../domain/account.ts";
import type { Leaver, Leaving } from "../domain/ports/sending/leaving.ts";
import { isGenuine, type ParsedToken, parseToken } from "./token.ts";

/** Secrets never change. */
const MOST_SECRETS = 1000;

export interface GenuineLink {
  readonly leaver: Leaver;
  /** Without what a mail client has added to it. */
  readonly token: string;
}
/** The reply to a link that is not genuine. */
export type InvalidLink = "invalid" | { readonly retryAfterSeconds: number };

export class Links {
  readonly #leaving: Pick<Leaving, "storedSecretOf">;
  readonly #guard: BruteForceGuard;
  readonly #secrets = new Map<AccountId, Uint8Array>();

  constructor(leaving: Pick<Leaving, "storedSecretOf">, guard: BruteForceGuard) {
    this.#leaving = leaving;
    this.#guard = guard;
  }

  /** Throws what the store throws. */
  async verify(text: string, client: string): Promise<GenuineLink | InvalidLink> {
    const parsed = parseToken(text);
    if (parsed === null || !(await this.#isGenuine(parsed))) return await this.#refuse(client);
    const { account, campaign, subscriber, token } = parsed;
    return { leaver: { account, campaign, subscriber }, token };
  }

  async #isGenuine(parsed: ParsedToken): Promise<boolean> {
    const { account } = parsed;
    const known = this.#secrets.get(account);
    const secret = known ?? (await this.#leaving.storedSecretOf({ account }));
    if (secret === null || !isGenuine(secret, parsed)) return false;
    if (known === undefined) {
      if (this.#secrets.size >= MOST_SECRETS) this.#secrets.clear();
      this.#secrets.set(account, secret);
    }
    return true;
  }

  async #refuse(client: string): Promise<InvalidLink> {
    try {
      await this.#guard.failed(client, "link");
      return "invalid";
    } catch (error) {
      if (error instanceof Fault && error.retryAfterSeconds !== null)
        return { retryAfterSeconds: error.retryAfterSeconds };
      throw error;
    }
  }
}
