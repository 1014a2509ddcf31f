/**
 * Which results of attempts are accepted, and what they make of the mailing. A result is accepted without the
 * lease as well: it is the truth about a recipient that is `sending`, or has become `unknown` since. But only
 * if that was the same attempt. After an operator has put the recipient back, a result of the earlier attempt
 * says nothing about the later one: accepted, a 4xx would send the campaign once more to a recipient that may
 * have it already. Only a recipient that was not started needs the lease. A repeated result changes nothing.
 */
import type { DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { isGivenUp, noAttempts, settle, storedReply } from "#domain/sending/delivery.ts";
import {
  FIRST_REFUSALS,
  mayChange,
  mustWait,
  pauseReason,
  refusesAll,
  refusesAllReason,
  relayDelay,
  type StateAfter,
} from "#domain/sending/mailing.ts";
import { DEFERRED_MS, type RecipientState, stateNumber } from "#domain/sending/recipient.ts";
import { refusalKey, withoutAddresses } from "#domain/sending/smtp-reply.ts";
import type { Db } from "../kit/db.ts";
import { integer, nullable, statement, text } from "../kit/statement.ts";
import type { Members } from "./batch-rows.ts";
import { counted, type MailingRow } from "./mailing-lock.ts";
import type { RecipientRows, Settled } from "./recipient-rows.ts";

/** With more, it is not the beginning. */
const MAX_FAILED = 200;
/** Until then, others are tried. */
const OTHERS_FIRST_MS = 60_000;

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
   LIMIT ${MAX_FAILED}`,
);

const keyOf = ({ code, reply }: Pick<Settled, "code" | "reply">): string => refusalKey(code, reply);

/**
 * If nobody was accepted and the first refusals are all the same, those who failed are queued again, and the
 * mailing waits. Others go first, so a refusal of these recipients alone blocks nobody. What was on its way
 * when it began to wait belongs to the same failure. Hard bounces, and recipients who were given up, do not
 * count. If nothing changes for as long as a recipient is tried, they fail.
 */
export async function withoutSameRefusals(
  db: Db,
  of: OfMailing,
  before: MailingRow,
  settled: readonly Settled[],
  now: number,
): Promise<{ readonly settled: readonly Settled[]; readonly mailing: MailingRow }> {
  const mailing = withResults(before, settled);
  const asTheyAre = { settled, mailing };
  const refused = settled.filter(
    (one) => one.state === "failed" && !one.isHardBounce && !isGivenUp(one.reply),
  );
  const [first] = refused;
  const isTooLate = now - (before.startedAt ?? now) >= DEFERRED_MS;
  if (first === undefined || mailing.sent > 0 || before.state !== "sending" || isTooLate) return asTheyAre;
  const isWaiting = refusesAll(before.reason) && mustWait(before.waitsUntil, now);
  const others = mailing.failed - mailing.bouncedCount - refused.length;
  if (others >= FIRST_REFUSALS || mailing.failed > MAX_FAILED) return asTheyAre;
  if (!isWaiting && others + refused.length < FIRST_REFUSALS) return asTheyAre;
  const key = keyOf(first);
  const rows = others === 0 ? [] : await db.all(failed, of.account, of.campaign);
  const earlier = rows.filter((row) => keyOf(row) === key);
  if (earlier.length < others || refused.some((one) => keyOf(one) !== key)) return asTheyAre;

  const relayFailures = before.relayFailures + (isWaiting ? 0 : 1);
  const waitsUntil = isWaiting ? before.waitsUntil : now + relayDelay(relayFailures);
  const queuedAgain = {
    ...({ state: "queued", code: null, reply: null, isHardBounce: false } as const),
    retry: { ...noAttempts, dueAt: waitsUntil + OTHERS_FIRST_MS },
  };
  const isRefused = new Set(refused.map(({ id }) => id));
  const all = [
    ...settled.map((one) => (isRefused.has(one.id) ? { ...one, ...queuedAgain } : one)),
    ...earlier.map(({ id }) => ({ id, from: "failed" as const, ...queuedAgain })),
  ];
  const words = `${first.code ?? ""} ${withoutAddresses(first.reply ?? "")}`;
  const reason = isWaiting ? before.reason : storedReply(refusesAllReason(words));
  return { settled: all, mailing: { ...withResults(before, all), reason, relayFailures, waitsUntil } };
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
