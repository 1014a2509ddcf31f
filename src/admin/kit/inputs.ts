/** Rules for inputs that several actions take. */
import type { Address } from "../../domain/address/address.ts";
import { MAX_NAME_LENGTH, parseName } from "../../domain/text/name.ts";
import { readMailbox } from "../../transfer/values/mailbox.ts";
import { InvalidInput } from "./errors.ts";

export function requireName(given: string, input = "name"): string {
  const name = parseName(given);
  if (name === null)
    throw new InvalidInput(input, `must have 1 to ${MAX_NAME_LENGTH} characters and no control characters`);
  return name;
}

/** An id that a user chooses, because programs contain it. `reason` says why it may not be more. */
export function requireChosenId(id: number | bigint, most: number | bigint, reason = ""): void {
  if (id < 1) throw new InvalidInput("id", "must be at least 1");
  if (id > most) throw new InvalidInput("id", `must be at most ${most}${reason}`);
}

const MAX_REASON_LENGTH = 500;

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
