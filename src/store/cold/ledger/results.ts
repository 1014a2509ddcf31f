/**
 * Which results of attempts are accepted, and what they make of the mailing. A result is accepted without the
 * lease as well: it is the truth about a recipient that is `sending`, or has become `unknown` since. But only
 * if that was the same attempt. After an operator has put the recipient back, a result of the earlier attempt
 * says nothing about the later one: accepted, a 4xx would send the campaign once more to a recipient that may
 * have it already. Only a recipient that was not started needs the lease. A repeated result changes nothing.
 */
import type { DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { noAttempts, settle, storedReply } from "#domain/sending/delivery.ts";
import {
  FIRST_REFUSALS,
  mayChange,
  pauseReason,
  refusesAll,
  refusesAllReason,
  relayDelay,
  type StateAfter,
} from "#domain/sending/mailing.ts";
import { type RecipientState, stateNumber } from "#domain/sending/recipient.ts";
import { refusalKey, withoutAddresses } from "#domain/sending/smtp-reply.ts";
import type { Db } from "../kit/db.ts";
import { integer, nullable, statement, text } from "../kit/statement.ts";
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

const failed = statement(
  { id: integer, code: nullable(integer), reply: nullable(text) },
  `SELECT r.subscriber_id AS id, r.code, w.reply
   FROM recipient AS r
   LEFT JOIN recipient_reply AS w
     ON w.account_id = r.account_id AND w.campaign_id = r.campaign_id AND w.subscriber_id = r.subscriber_id
   WHERE r.account_id = $1 AND r.campaign_id = $2 AND r.state = ${stateNumber("failed")}
   ORDER BY r.subscriber_id
   LIMIT ${FIRST_REFUSALS}`,
);

/**
 * If nobody was accepted and all refusals are the same, those who failed are queued again, and the mailing
 * waits: as soon as there are enough of them; and once it has waited for that, at the next refusal.
 */
export async function withoutSameRefusals(
  db: Db,
  of: OfMailing,
  before: MailingRow,
  settled: readonly Settled[],
  now: number,
): Promise<{ readonly settled: readonly Settled[]; readonly mailing: MailingRow }> {
  const mailing = withResults(before, settled);
  const refused = settled.filter(({ state }) => state === "failed");
  const needed = refusesAll(before.reason) ? 1 : FIRST_REFUSALS;
  const isFirst = mailing.sent === 0 && mailing.bouncedCount === 0 && before.failed < FIRST_REFUSALS;
  const isEnough = refused.length > 0 && before.failed + refused.length >= needed;
  if (!isFirst || !isEnough || before.state !== "sending") return { settled, mailing };
  const earlier = before.failed === 0 ? [] : await db.all(failed, of.account, of.campaign);
  const [first, ...others] = [...earlier, ...refused];
  const keyOf = ({ code, reply }: Pick<Settled, "code" | "reply">): string => refusalKey(code, reply);
  if (first === undefined || others.some((one) => keyOf(one) !== keyOf(first))) return { settled, mailing };
  const queuedAgain = {
    ...({ state: "queued", code: null, reply: null, isHardBounce: false } as const),
    retry: { ...noAttempts, dueAt: now },
  };
  const all = [
    ...settled.map((one) => (one.state === "failed" ? { ...one, ...queuedAgain } : one)),
    ...earlier.map(({ id }) => ({ id, from: "failed" as const, ...queuedAgain })),
  ];
  const relayFailures = before.relayFailures + 1;
  const waiting = {
    reason: storedReply(refusesAllReason(`${first.code ?? ""} ${withoutAddresses(first.reply ?? "")}`)),
    ...{ relayFailures, waitsUntil: now + relayDelay(relayFailures) },
  };
  return { settled: all, mailing: { ...withResults(before, all), ...waiting } };
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
