/** Rules for inputs that several actions take. */
import type { Actor } from "#domain/access/actor.ts";
import type { Address } from "#domain/address.ts";
import { MAX_NAME_LENGTH, parseName } from "#domain/text.ts";
import { readMailbox } from "#transfer/values/mailbox.ts";
import { AlreadyExists, Forbidden, InvalidInput } from "./errors.ts";

export function requireName(given: string, input = "name"): string {
  const name = parseName(given);
  if (name === null)
    throw new InvalidInput(input, `must have 1 to ${MAX_NAME_LENGTH} characters and no control characters`);
  return name;
}

/**
 * An id that an operator chooses, because programs contain it. All accounts share the ids, so only an actor
 * who may change all of them chooses one. `reason` says why it may not be more.
 */
export function requireChosenId(actor: Actor, id: number | bigint, most: number | bigint, reason = ""): void {
  if (actor.roleIn(null) === null)
    throw new Forbidden(
      "this id cannot be chosen: that needs the role administrator, because all accounts share the ids; leave it out, and the next free one is used",
    );
  if (id < 1) throw new InvalidInput("id", "must be at least 1");
  if (id > most) throw new InvalidInput("id", `must be at most ${most}${reason}`);
}

/** The same whatever has the id: a list or field of this account, of another one, or a former one. */
export const idTaken = (): AlreadyExists =>
  new AlreadyExists("this id cannot be chosen; choose another one", "id", "cannot be chosen");

export const MAX_REASON_LENGTH = 500;

/** A reason is kept in the history. */
export function requireReason(given: string): string {
  const reason = given.trim();
  if (reason === "" || [...reason].length > MAX_REASON_LENGTH || /\p{Cc}/u.test(reason))
    throw new InvalidInput("reason", `must have 1 to ${MAX_REASON_LENGTH} characters on one line`);
  return reason;
}

/** Also accepts an address that was copied with its display name. */
export function requireAddress(given: string, input = "email"): Address {
  const found = readMailbox(given);
  if (typeof found === "string") throw new InvalidInput(input, `is not an e-mail address: ${found}`);
  return found;
}

/** Another machine's clock may be ahead of ours. */
const CLOCK_TOLERANCE_MS = 300_000;

export const isFuture = (time: number, now: number): boolean => time > now + CLOCK_TOLERANCE_MS;

export const futureProblem = (now: number): string =>
  `must not be in the future; it is now ${new Date(now).toISOString()}`;

export function requirePast(time: number, input: string, now: number): number {
  if (!isFuture(time, now)) return time;
  throw new InvalidInput(input, futureProblem(now));
}
