/**
 * The rows of the ledger. The number of statements depends on how many different outcomes a group has, not on
 * how many recipients. The mailing must be locked.
 */
import type { BatchId } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Attempts, Settlement } from "#domain/sending/delivery.ts";
import { type RecipientState, skipNumber, stateNumber, stateOfNumber } from "#domain/sending/recipient.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Db, Saves } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import { type Change, change, integer, nullable, statement } from "../kit/statement.ts";

const states = statement(
  { id: integer, state: integer, at: integer, code: nullable(integer) },
  ({ isIn }) => `
   SELECT subscriber_id AS id, state, at, code
   FROM recipient
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")}`,
);
/** One statement with a table of states would be joined by reading the whole ledger. */
const setState = change(
  ({ isIn }) => `
   UPDATE recipient SET state = $3, at = $4, code = $5
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$6")}`,
);
/** Keeps the mark of the attempt. */
const setUnknown = change(
  ({ isIn }) => `
   UPDATE recipient SET state = ${stateNumber("unknown")}, at = $3
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$4")}`,
);

/** On PostgreSQL every key begins with the account. */
export const recipientKey = ({ keysHaveAccount }: Dialect): string =>
  `(${keysHaveAccount ? "account_id, " : ""}campaign_id, subscriber_id)`;
const OF_MAILING = "CAST($1 AS bigint), CAST($2 AS bigint)";

/** Not of a subscriber who was erased meanwhile: relays repeat the address. */
const setReplies = change(
  (dialect) => `
   INSERT INTO recipient_reply (account_id, campaign_id, subscriber_id, reply)
   SELECT ${OF_MAILING}, n.id, n.reply
   FROM ${dialect.table("$3", { id: "integer", reply: "text" })} AS n
   ${dialect.lookUp("subscriber", "s", "s.account_id = $1 AND s.id = n.id")}
   WHERE true
   ON CONFLICT ${recipientKey(dialect)} DO UPDATE SET reply = excluded.reply`,
);
/** Rows of some recipients. */
const dropFrom = (table: string): Change =>
  change(
    ({ isIn }) =>
      `DELETE FROM ${table} WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")}`,
  );
export const dropReplies = dropFrom("recipient_reply");
export const dropRetries = dropFrom("recipient_retry");
export const dropEarlier = dropFrom("recipient_earlier");
const setRetries = change(
  (dialect) => `
   INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
   SELECT ${OF_MAILING}, n.id, n.due_at, n.attempts, n.since
   FROM ${dialect.table("$3", { id: "integer", due_at: "integer", attempts: "integer", since: "integer" })} AS n
   WHERE true
   ON CONFLICT ${recipientKey(dialect)} DO UPDATE SET
     due_at = excluded.due_at, attempts = excluded.attempts, since = excluded.since`,
);

/** `code` is a smallint on PostgreSQL. */
const MARKS = 32_768;
/**
 * Identifies an attempt: no recipient is started twice in one batch. It is stored as the code of a recipient
 * that is `sending` or `unknown`, which has no reply of the relay.
 */
export const markOf = (batch: BatchId): number => batch % MARKS;

/** Recipients that have a row. */
export interface RecipientRows {
  readonly states: Map<SubscriberId, RecipientState>;
  /** The mark of the last attempt of recipients that are `sending` or `unknown`. */
  readonly marks: ReadonlyMap<SubscriberId, number | null>;
  /** When their states were stored; in milliseconds, but whole seconds. */
  readonly times: ReadonlyMap<SubscriberId, number>;
}
export async function recipientRows(
  db: Db,
  { account, campaign }: OfMailing,
  ids: readonly SubscriberId[],
): Promise<RecipientRows> {
  if (ids.length === 0) return { states: new Map(), marks: new Map(), times: new Map() };
  const rows = await db.all(states, account, campaign, ids);
  return {
    states: new Map(rows.map(({ id, state }) => [id, stateOfNumber(state)])),
    marks: new Map(rows.map(({ id, code }) => [id, code])),
    times: new Map(rows.map(({ id, at }) => [id, 1000 * at])),
  };
}
export const statesOf = async (db: Db, of: OfMailing, ids: readonly SubscriberId[]) =>
  (await recipientRows(db, of, ids)).states;

/** A change of one recipient. */
export interface Settled extends Settlement {
  readonly id: SubscriberId;
  readonly from: RecipientState;
}

const simply = { reply: null, retry: null, isHardBounce: false };
export const started = (id: SubscriberId, from: RecipientState, batch: BatchId): Settled => ({
  ...{ id, from, state: "sending", code: markOf(batch) },
  ...simply,
});
/** No process will report a result. */
export const lost = (id: SubscriberId): Settled => ({
  ...{ id, from: "sending", state: "unknown", code: null },
  ...simply,
  reply: "the process that was sending it stopped before it stored a result",
});
export const erased = (id: SubscriberId, from: RecipientState): Settled => ({
  ...{ id, from, state: "skipped", code: skipNumber("erased") },
  ...simply,
});

export async function saveSettled(
  db: Saves,
  { account, campaign }: OfMailing,
  now: number,
  settled: readonly Settled[],
): Promise<void> {
  if (settled.length === 0) return;
  const alike = Map.groupBy(settled, ({ state, code }) => `${state} ${code}`);
  const at = Math.floor(now / 1000);
  const replies = settled.flatMap(({ id, reply }) => (reply === null ? [] : [{ id, reply }]));
  // These have words; and the new state has none of its own.
  const hasWords: readonly RecipientState[] = ["unknown", "deferred", "failed"];
  const outdated = settled
    .filter(({ from, reply }) => reply === null && hasWords.includes(from))
    .map(({ id }) => id);
  const retries = settled.flatMap(({ id, retry }) => (retry === null ? [] : [{ id, ...retry }]));
  await Promise.all([
    ...[...alike.values()].map((same) => {
      const { state, code } = same[0] ?? { state: "unknown", code: null };
      const ids = same.map(({ id }) => id);
      if (state === "unknown") return db.run(setUnknown, account, campaign, at, ids);
      return db.run(setState, account, campaign, stateNumber(state), at, code, ids);
    }),
    outdated.length === 0 ? null : db.run(dropReplies, account, campaign, outdated),
    replies.length === 0 ? null : db.run(setReplies, account, campaign, JSON.stringify(replies)),
    saveRetries(db, { account, campaign }, retries),
  ]);
}

interface Retry extends Attempts {
  readonly id: SubscriberId;
  readonly dueAt: number;
}
export async function saveRetries(db: Saves, { account, campaign }: OfMailing, retries: readonly Retry[]) {
  if (retries.length === 0) return;
  const rows = retries.map(({ id, dueAt, attempts, since }) => ({ id, due_at: dueAt, attempts, since }));
  await db.run(setRetries, account, campaign, JSON.stringify(rows));
}
export const takeRetries = (db: Db, { account, campaign }: OfMailing, ids: readonly SubscriberId[]) =>
  db.run(dropRetries, account, campaign, ids);
