/** Undoes an import, subscriber by subscriber, in batches; or counts what that would do. */
import type { ImportId } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import {
  countUndo,
  decideUndo,
  noUndoCounts,
  type UndoDecision,
  type Undone,
  type UndoResult,
  type UndoState,
} from "#domain/import/undo.ts";
import type { UndoArguments } from "#domain/job/kinds.ts";
import type { JobResult } from "#domain/job/result.ts";
import { historyKinds } from "#domain/subscriber/history.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import {
  BASICS,
  basicsRow,
  HELD,
  heldRow,
  KNOWN,
  knownRow,
  readReplaced,
  toHeld,
  toKnown,
} from "../../reads/rows.ts";
import { importBatch, list } from "../../tables/entities.ts";
import { JOB_STEP, VISITED } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import { byIdOf } from "../kit/of-account.ts";
import {
  bigint,
  boolean,
  change,
  column,
  integer,
  nullable,
  oneOf,
  type RowOf,
  statement,
  text,
} from "../kit/statement.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";

const batchById = byIdOf(importBatch);
const listById = byIdOf(list);
const otherImports = statement(
  { id: integer },
  `SELECT id FROM import_batch
   WHERE account_id = $1 AND list_id = $2 AND id <> $3 AND undone_at IS NULL
   ORDER BY id DESC`,
);
const undoneImports = statement(
  { id: integer },
  "SELECT id FROM import_batch WHERE account_id = $1 AND undone_at IS NOT NULL",
);
const MOST_LATER = 10;
const laterImports = statement(
  { id: integer },
  `SELECT id FROM import_batch
   WHERE account_id = $1 AND id > $2 AND undone_at IS NULL AND list_id IS NOT NULL
   ORDER BY id
   LIMIT $3`,
);
const finish = change("UPDATE import_batch SET undone_at = $3 WHERE account_id = $1 AND id = $2");

/**
 * The next subscribers that a step looks at. SQLite has no key of account and id: it passes the subscribers
 * of other accounts, too.
 */
const visited = ({ keysHaveAccount }: Dialect): string => `
  SELECT s.id, s.account_id, s.import_id
  FROM subscriber AS s
  WHERE ${keysHaveAccount ? "s.account_id = $1 AND" : ""} s.id > $2
  ORDER BY s.id
  LIMIT $3`;
const end = statement(
  { last: nullable(integer), count: integer },
  (dialect) => `SELECT max(v.id) AS last, count(*) AS count FROM (${visited(dialect)}) AS v`,
);
/** Those of them whom the import may have changed. */
const concerned = statement(
  { id: integer, isCreated: boolean },
  (dialect) => `
  SELECT v.id, coalesce(v.import_id = $4, false) AS "isCreated"
  FROM (${visited(dialect)}) AS v
  WHERE v.account_id = $1
    AND (
      v.import_id = $4
      OR ${dialect.exists(
        `SELECT 1 FROM membership AS m
         WHERE m.account_id = $1 AND m.list_id = $5 AND m.subscriber_id = v.id
           AND (m.import_id = $4 OR m.confirmed_by = $4)`,
      )}
      OR ${dialect.exists(
        `SELECT 1 FROM history AS h
         WHERE h.account_id = $1 AND h.subscriber_id = v.id AND h.kind = 'changed' AND h.import_id = $4`,
      )}
    )
  ORDER BY v.id
  LIMIT $6`,
);

const person = { id: integer, ...knownRow, ...basicsRow };
const people = statement(
  person,
  (dialect) => `SELECT s.id, ${KNOWN}, ${BASICS} FROM ${subscribersByIds(dialect, "$2")}`,
);
/** By the key. SQLite would otherwise search all rows of the account. */
const ofPeople = ({ keysHaveAccount, isIn }: Dialect): string =>
  `${keysHaveAccount ? "account_id = $1 AND" : ""} ${isIn("subscriber_id", "$2")}`;
const membershipsOf = statement(
  { id: column("subscriber_id", integer), list: integer, ...heldRow },
  (dialect) =>
    `SELECT subscriber_id AS id, list_id AS list, ${HELD} FROM membership WHERE ${ofPeople(dialect)}`,
);
const valuesOf = statement(
  { id: column("subscriber_id", integer), field: bigint, value: text, batch: nullable(integer) },
  (dialect) =>
    `SELECT subscriber_id AS id, field_id AS field, value, import_id AS batch
     FROM custom_value WHERE ${ofPeople(dialect)}`,
);
const historyOf = statement(
  {
    id: column("subscriber_id", integer),
    kind: oneOf(historyKinds),
    list: nullable(integer),
    batch: nullable(integer),
    replaced: nullable(text),
  },
  (dialect) =>
    `SELECT subscriber_id AS id, kind, list_id AS list, import_id AS batch, replaced
     FROM history
     WHERE ${ofPeople(dialect)}
     ORDER BY history.id`,
);
/** Of campaigns that ended before the import began, nobody whom it created is a recipient. */
const recipients = statement(
  { id: column("subscriber_id", integer) },
  ({ lookUp, isIn }) => `
   SELECT r.subscriber_id AS id
   FROM mailing AS m
   ${lookUp(
     "recipient",
     "r",
     `r.account_id = $1 AND r.campaign_id = m.campaign_id AND ${isIn("r.subscriber_id", "$2")}`,
   )}
   WHERE m.account_id = $1 AND (m.ended_at IS NULL OR m.ended_at >= $3)`,
);

const setBasics = change(
  `UPDATE subscriber SET
     first_name = $3, last_name = $4, gender = $5, birthday = $6, country = $7, imported = $8
   WHERE account_id = $1 AND id = $2`,
);
/** Campaign events contain copies of the names. */
const renameEvents = change(
  `UPDATE campaign_event SET first_name = $3, last_name = $4
   WHERE account_id = $1 AND subscriber_id = $2 AND (first_name <> $3 OR last_name <> $4)`,
);
const clearValues = change(
  ({ isIn }) =>
    `DELETE FROM custom_value WHERE account_id = $1 AND subscriber_id = $2 AND ${isIn("field_id", "$3")}`,
);
const passOnMembership = change(
  `UPDATE membership SET import_id = $4, confirmed_by = $5
   WHERE account_id = $1 AND list_id = $2 AND subscriber_id = $3`,
);
const passOnSubscriber = change(
  "UPDATE subscriber SET import_id = $4 WHERE account_id = $1 AND id = $2 AND import_id = $3",
);
const confirmBy = change(
  `UPDATE membership SET confirmed_by = $4
   WHERE account_id = $1 AND list_id = $2 AND subscriber_id = $3`,
);

interface UndoWork {
  readonly args: UndoArguments;
  readonly progress: { readonly after: SubscriberId } | null;
  readonly result: JobResult | null;
  readonly account: AccountId;
  readonly now: number;
}

export async function undoStep(
  db: Db,
  { args, progress, result, account, now }: UndoWork,
  isDryRun: boolean,
) {
  const undone = await findUndone(db, account, args.import);
  if (undone === null)
    return { next: null, done: 0, failure: `import ${args.import} does not exist any more` };
  const after = progress?.after ?? 0;
  const page = [account, after, VISITED] as const;
  const [{ last, count }, found] = await Promise.all([
    db.one(end, ...page),
    db.all(concerned, ...page, undone.import, undone.list, JOB_STEP),
  ]);
  const states = await statesOf(db, account, found, undone);
  const cause = { at: now, origin: args.origin };
  const decided = states.map(({ id, state }) => ({
    id,
    isCreated: state.isCreated,
    decision: decideUndo(state, undone, cause),
  }));
  const before = result === null ? noUndoCounts : (result as UndoResult).counts;
  const counts = decided.reduce((sum, { decision }) => countUndo(sum, decision), before);
  if (!isDryRun) await save(db, account, undone, decided);
  // More of those that were visited may be concerned.
  const lastConcerned = found[JOB_STEP - 1]?.id;
  const next = lastConcerned ?? (count < VISITED ? null : last);
  if (next === null && !isDryRun) await db.run(finish, account, undone.import, now);
  const later = await db.all(laterImports, account, undone.import, MOST_LATER);
  const done: UndoResult = {
    ...{ import: undone.import, isDryRun, counts },
    laterImports: later.map(({ id }) => id),
  };
  return { next: next === null ? null : { after: next }, done: decided.length, result: done };
}

async function findUndone(
  db: Db,
  account: AccountId,
  id: ImportId,
): Promise<(Undone & { readonly startedAt: number }) | null> {
  const batch = await db.get(batchById, account, id);
  if (batch === null || batch.list === null) return null;
  const [found, undone, others] = await Promise.all([
    db.get(listById, account, batch.list),
    db.all(undoneImports, account),
    db.all(otherImports, account, batch.list, id),
  ]);
  return {
    import: id,
    list: batch.list,
    // A later list may have been given the same id.
    listExists: found !== null && found.createdAt <= batch.startedAt,
    undone: new Set(undone.map((one) => one.id)),
    others: others.map((one) => one.id),
    startedAt: batch.startedAt,
  };
}

const byPerson = <Row extends { readonly id: SubscriberId }>(
  rows: readonly Row[],
): ((id: SubscriberId) => readonly Row[]) => {
  const groups = Map.groupBy(rows, ({ id }) => id);
  return (id) => groups.get(id) ?? [];
};

async function statesOf(
  db: Db,
  account: AccountId,
  found: readonly { readonly id: SubscriberId; readonly isCreated: boolean }[],
  { list: target, startedAt }: Undone & { readonly startedAt: number },
): Promise<readonly { readonly id: SubscriberId; readonly state: UndoState }[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const created = new Set(found.filter(({ isCreated }) => isCreated).map(({ id }) => id));
  const [rows, memberships, values, history, mailed] = await Promise.all([
    db.all(people, account, idRows(ids)),
    db.all(membershipsOf, account, ids).then(byPerson),
    db.all(valuesOf, account, ids).then(byPerson),
    db.all(historyOf, account, ids).then(byPerson),
    created.size === 0 ? [] : db.all(recipients, account, [...created], startedAt),
  ]);
  const inCampaign = new Set(mailed.map(({ id }) => id));
  return rows.map((row: RowOf<typeof person>) => {
    const { id, firstName, lastName, gender, birthday, country, imported } = row;
    const lists = memberships(id);
    const own = lists.find((one) => one.list === target);
    return {
      id,
      state: {
        known: toKnown(row),
        isCreated: created.has(id),
        membership: own === undefined ? null : toHeld(own),
        isOnOtherLists: lists.some((one) => one.list !== target),
        isInCampaign: inCampaign.has(id),
        basics: { firstName, lastName, gender, birthday, country, imported },
        values: new Map(values(id).map(({ field, value, batch }) => [field, { value, batch }])),
        history: history(id).map(({ kind, list: about, batch, replaced }) => ({
          ...{ kind, list: about, batch },
          replaced: replaced === null ? null : readReplaced(replaced),
        })),
      },
    };
  });
}

async function save(
  db: Db,
  account: AccountId,
  { import: id, list: target }: Undone,
  decided: readonly { readonly id: SubscriberId; readonly decision: UndoDecision }[],
): Promise<void> {
  await db.saveChanges(
    account,
    decided.flatMap(({ id: subscriber, decision: { changes } }) =>
      changes.length === 0 ? [] : [{ subscriber, changes }],
    ),
  );
  for (const { id: subscriber, decision } of decided) {
    const { basics, cleared, heir, confirmedBy } = decision;
    if (basics !== null) {
      const { firstName, lastName, gender, birthday, country, imported } = basics;
      const data = [firstName, lastName, gender, birthday, country, imported] as const;
      await db.atCommit.run(setBasics, account, subscriber, ...data);
      await db.atCommit.run(renameEvents, account, subscriber, firstName, lastName);
    }
    if (cleared.length > 0) await db.atCommit.run(clearValues, account, subscriber, cleared);
    if (heir !== null) {
      await db.atCommit.run(passOnMembership, account, target, subscriber, heir.import, heir.confirmedBy);
      await db.atCommit.run(passOnSubscriber, account, subscriber, id, heir.import);
    }
    if (confirmedBy !== null)
      await db.atCommit.run(confirmBy, account, target, subscriber, confirmedBy.import);
  }
}
