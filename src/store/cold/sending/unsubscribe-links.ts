/**
 * What a person does with the link in a message. The subscriber is found by its number, so a corrected
 * address makes no difference. Nothing in here knows tokens; who calls has verified one.
 */
import { randomBytes } from "node:crypto";
import { originKinds } from "#domain/access/origin.ts";
import {
  type LinkRecipient,
  type LinkState,
  MAX_LISTS,
  type UnsubscribeLinks,
} from "#domain/ports/sending/unsubscribe-links.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import {
  decideUndo,
  type LeftList,
  type UndoEntry,
  undoable,
  undoableUntil,
  undoKinds,
} from "#domain/subscriber/undo.ts";
import { decideLeave, decideLeaveList } from "#domain/subscriber/unsubscribe.ts";
import { storedEvent } from "../../reads/event-row.ts";
import { KNOWN, knownRow, toAddress, toKnown } from "../../reads/rows.ts";
import { COUNTED_MEMBERSHIP } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import { command, feature, read } from "../kit/feature.ts";
import { boolean, bytes, change, integer, nullable, oneOf, statement, text } from "../kit/statement.ts";

const SECRET_BYTES = 32;
/** Of the history of one person: the newest. Whatever is older than these is not undone. */
const MAX_ENTRIES = 200;

/** Never replaced: if two processes are first, the second one gets the secret of the first. */
const requireSecret = statement(
  { secret: nullable(bytes) },
  `UPDATE account SET link_secret = coalesce(link_secret, $2)
   WHERE id = $1 AND NOT is_deleting
   RETURNING link_secret AS secret`,
);
const storedSecret = statement(
  { secret: nullable(bytes) },
  "SELECT link_secret AS secret FROM account WHERE id = $1 AND NOT is_deleting",
);
const person = statement(
  { address: text, key: text, ...knownRow },
  `SELECT address, address_key AS key, ${KNOWN} FROM subscriber WHERE account_id = $1 AND id = $2`,
);
const senderOf = statement(
  { name: text },
  `SELECT coalesce(
     (SELECT nullif(s.from_name, '')
      FROM campaign_content AS c JOIN sender AS s ON s.account_id = c.account_id AND s.id = c.sender_id
      WHERE c.account_id = a.id AND c.campaign_id = $2),
     a.name
   ) AS name
   FROM account AS a
   WHERE a.id = $1`,
);
const listsOf = statement(
  { id: integer, name: text },
  `SELECT l.id, l.name
   FROM campaign_list AS c
   JOIN membership AS m ON m.account_id = $1 AND m.list_id = c.list_id AND m.subscriber_id = $3
   JOIN list AS l ON l.account_id = $1 AND l.id = c.list_id
   WHERE c.account_id = $1 AND c.campaign_id = $2 AND NOT l.is_deleting AND ${COUNTED_MEMBERSHIP}
   ORDER BY l.id
   LIMIT ${MAX_LISTS}`,
);
/** Only a list that the campaign was sent to. */
const membershipOf = statement(
  { joinedAt: integer },
  `SELECT m.joined_at AS "joinedAt"
   FROM campaign_list AS c
   JOIN membership AS m ON m.account_id = $1 AND m.list_id = c.list_id AND m.subscriber_id = $3
   WHERE c.account_id = $1 AND c.campaign_id = $2 AND c.list_id = $4 AND ${COUNTED_MEMBERSHIP}`,
);
const partOf = statement(
  { campaignExists: boolean, isRecorded: boolean, earliestJoin: nullable(integer) },
  ({ exists }) => `
   SELECT
     ${exists(
       "SELECT 1 FROM campaign WHERE account_id = $1 AND id = $2 AND NOT is_deleting",
     )} AS "campaignExists",
     ${exists(`
       SELECT 1 FROM campaign_event
       WHERE account_id = $1 AND campaign_id = $2 AND event = '${storedEvent.unsubscribed}' AND subscriber_id = $3
     `)} AS "isRecorded",
     (SELECT min(m.joined_at)
      FROM campaign_list AS c
      JOIN membership AS m ON m.account_id = $1 AND m.list_id = c.list_id AND m.subscriber_id = $3
      WHERE c.account_id = $1 AND c.campaign_id = $2 AND ${COUNTED_MEMBERSHIP}) AS "earliestJoin"`,
);
const recent = statement(
  {
    at: integer,
    kind: oneOf(undoKinds),
    origin: oneOf(originKinds),
    campaign: nullable(integer),
    list: nullable(integer),
    detail: nullable(text),
  },
  `SELECT at, kind, origin, campaign_id AS campaign, list_id AS list, detail
   FROM history
   WHERE account_id = $1 AND subscriber_id = $2 AND kind IN (${undoKinds.map((kind) => `'${kind}'`).join(", ")})
   ORDER BY id DESC
   LIMIT ${MAX_ENTRIES}`,
);
/**
 * Of the lists that were left: the ones that still exist, and to which the subscriber was not added again.
 */
const rejoinable = statement(
  { id: integer, name: text },
  ({ exists, isIn }) => `
   SELECT l.id, l.name
   FROM list AS l
   WHERE l.account_id = $1 AND ${isIn("l.id", "$3")} AND NOT l.is_deleting
     AND NOT ${exists(`
       SELECT 1 FROM membership AS m WHERE m.account_id = $1 AND m.list_id = l.id AND m.subscriber_id = $2
     `)}
   ORDER BY l.id`,
);
/** Only the event that this opt-out was recorded as: another one may be from an earlier opt-out. */
const removeEvent = change(
  `DELETE FROM campaign_event
   WHERE account_id = $1 AND campaign_id = $2 AND event = '${storedEvent.unsubscribed}' AND subscriber_id = $3 AND at = $4`,
);
const restoreJoin = change(
  "UPDATE membership SET joined_at = $4 WHERE account_id = $1 AND list_id = $2 AND subscriber_id = $3",
);

async function found(db: Db, { account, subscriber }: LinkRecipient) {
  const row = await db.get(person, account, subscriber);
  return row === null ? null : { address: toAddress(row.address, row.key), known: toKnown(row) };
}
type Lookup = NonNullable<Awaited<ReturnType<typeof found>>>;

const save = (db: Db, { account, subscriber }: LinkRecipient, changes: readonly SubscriberChange[]) =>
  changes.length === 0 ? Promise.resolve() : db.saveChanges(account, [{ subscriber, changes }]);

/** What can be undone now; `names` are the names of the lists. */
async function undoableBy(
  db: Db,
  { account, campaign, subscriber, at }: LinkRecipient & { readonly at: number },
  entries: readonly UndoEntry[],
  { known }: Lookup,
) {
  const done = undoable(entries, { campaign, held: known.suppressions, now: at });
  const ids = done.lists.map(({ list }) => list);
  const names = ids.length === 0 ? [] : await db.all(rejoinable, account, subscriber, ids);
  const isLeft = ({ list }: LeftList): boolean => names.some(({ id }) => id === list);
  return { ...done, lists: done.lists.filter(isLeft), names };
}

async function stateOf(db: Db, leaver: LinkRecipient & { readonly at: number }): Promise<LinkState | null> {
  const { account, campaign, subscriber } = leaver;
  const [who, sender, lists, entries] = await Promise.all([
    found(db, leaver),
    // None if the account was deleted.
    db.get(senderOf, account, campaign),
    db.all(listsOf, account, campaign, subscriber),
    db.all(recent, account, subscriber),
  ]);
  if (who === null || sender === null) return null;
  const done = await undoableBy(db, leaver, entries, who);
  return {
    from: sender.name,
    address: who.address.text,
    isUnsubscribed: who.known.suppressions.unsubscribed !== null,
    lists,
    left: done.names,
    undoableUntil: undoableUntil(done),
  };
}

export const unsubscribeLinks = feature<UnsubscribeLinks>({
  secretOf: command(
    async (db, { account }) => {
      const stored = await db.get(storedSecret, account);
      if (stored === null || stored.secret !== null) return stored?.secret ?? null;
      return (await db.get(requireSecret, account, randomBytes(SECRET_BYTES)))?.secret ?? null;
    },
    { locksAccount: false },
  ),
  storedSecretOf: read(async (db, { account }) => (await db.get(storedSecret, account))?.secret ?? null, {
    isLookup: true,
  }),
  state: read(stateOf, { isLookup: true }),
  leave: command(async (db, leaver) => {
    const { account, campaign, subscriber, at } = leaver;
    const [who, part, entries] = await Promise.all([
      found(db, leaver),
      db.one(partOf, account, campaign, subscriber),
      db.all(recent, account, subscriber),
    ]);
    if (who === null) return null;
    await save(db, leaver, decideLeave({ at, campaign, address: who.address }, who.known, part, entries));
    return await stateOf(db, leaver);
  }),
  leaveList: command(async (db, leaver) => {
    const { account, campaign, subscriber, list, at } = leaver;
    const [who, membership] = await Promise.all([
      found(db, leaver),
      db.get(membershipOf, account, campaign, subscriber, list),
    ]);
    if (who === null) return null;
    if (membership !== null) {
      const active = { status: "active", joinedAt: membership.joinedAt } as const;
      await save(db, leaver, decideLeaveList({ at, campaign, list }, who.known, active));
    }
    return await stateOf(db, leaver);
  }),
  undo: command(async (db, leaver) => {
    const { account, campaign, subscriber, at } = leaver;
    const [who, entries] = await Promise.all([found(db, leaver), db.all(recent, account, subscriber)]);
    if (who === null) return null;
    const done = await undoableBy(db, leaver, entries, who);
    const changes = decideUndo(done, who.known.suppressions, { at, campaign, origin: { kind: "link" } });
    await save(db, leaver, changes);
    for (const { list, joinedAt } of done.lists)
      await db.run(restoreJoin, account, list, subscriber, joinedAt);
    if (done.optOutAt !== null) await db.run(removeEvent, account, campaign, subscriber, done.optOutAt);
    const state = await stateOf(db, leaver);
    return state === null ? null : { ...state, isUndone: changes.length > 0 };
  }),
});
