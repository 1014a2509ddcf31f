/**
 * Which results of attempts are accepted, and what they make of the mailing. A result is accepted without the
 * lease as well: it is the truth about a recipient that is `sending`, or has become `unknown` since. But only
 * if that was the same attempt. After an operator has put the recipient back, a result of the earlier attempt
 * says nothing about the later one: accepted, a 4xx would send the campaign once more to a recipient that may
 * have it already. Only a recipient that was not started needs the lease. A repeated result changes nothing.
 */
import type { DeliveryResult } from "#domain/ports/sending/ledger.ts";
import { noAttempts, settle } from "#domain/sending/delivery.ts";
import { mayChange, pauseReason, type StateAfter } from "#domain/sending/mailing.ts";
import type { RecipientState } from "#domain/sending/recipient.ts";
import type { Members } from "./batch-rows.ts";
import { counted, type MailingRow } from "./mailing-lock.ts";
import type { RecipientRows, Settled } from "./recipient-rows.ts";

export type States = RecipientRows["states"];

export const isWaiting = (state: RecipientState | undefined): state is "queued" | "deferred" =>
  state === "queued" || state === "deferred";

/** Who reports the results. */
interface Reporter {
  /** Whether they have the lease. */
  readonly isOurs: boolean;
  /** That of their batch. */
  readonly mark: number;
  readonly now: number;
}

/** Takes recipients that have a result out of the members, and updates their states. */
export function settleResults(
  results: readonly DeliveryResult[],
  { states, marks }: RecipientRows,
  members: Members,
  { isOurs, mark, now }: Reporter,
): readonly Settled[] {
  return results.flatMap((result) => {
    const { subscriber: id } = result;
    const from = states.get(id);
    const member = members.get(id);
    const isSameAttempt = marks.get(id) === mark;
    const isAccepted =
      (from === "sending" && isSameAttempt) ||
      // Whichever attempt it was, the person has the message.
      (from === "unknown" && (isSameAttempt || result.state === "sent")) ||
      (isWaiting(from) && isOurs && member !== undefined);
    if (from === undefined || !isAccepted) return [];
    const settlement = settle(result, member ?? noAttempts, now);
    members.delete(id);
    states.set(id, settlement.state);
    return [{ id, from, ...settlement }];
  });
}

/**
 * Counts the results. A mailing is paused when its hard bounces or its failures pass a limit; if an operator
 * resumes it, it is not paused again while they stay above. A finished one for which a late result leaves a
 * recipient to try again is sent again.
 */
export function withResults(before: MailingRow, settled: readonly Settled[]): MailingRow {
  const moves = settled.map(({ from, state }) => ({ from, to: state }));
  const bounces = settled.filter(({ isHardBounce }) => isHardBounce).length;
  const after = { ...counted(before, moves), bouncedCount: before.bouncedCount + bounces };
  const reason = after.state === "sending" ? pauseReason(before, after) : null;
  if (reason !== null) return { ...after, state: "paused" satisfies StateAfter<"pause">, reason };
  return mayChange("late result", after.state) && settled.some(({ retry }) => retry !== null)
    ? { ...after, state: "sending" satisfies StateAfter<"late result">, endedAt: null }
    : after;
}
