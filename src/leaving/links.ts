/**
 * Verifies the links of requests. Guessing is rate-limited per client, by failures alone: a genuine link is
 * never refused, because one address of a mail provider acts for many people.
 */
import type { BruteForceGuard } from "#auth/brute-force-guard.ts";
import { Fault } from "#contract/faults.ts";
import type { Leaver, Leaving } from "#domain/ports/sending/leaving.ts";
import { isGenuine, type ParsedToken, parseToken } from "./token.ts";

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

  /** The secret is read each time: a link is not genuine any more when its account was deleted. */
  async #isGenuine(parsed: ParsedToken): Promise<boolean> {
    const secret = await this.#leaving.storedSecretOf({ account: parsed.account });
    return secret !== null && isGenuine(secret, parsed);
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
