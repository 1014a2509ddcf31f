/** Loads what decisions about imported subscribers need in addition to other commands. */
import type { ListId } from "#domain/list.ts";
import { integer } from "../../cold/kit/statement.ts";
import type { Connection } from "../sessions/connection.ts";
import { statement } from "../statement.ts";
import type { CallerCommand } from "./caller-command.ts";
import { accountsOf, keysOf, type LoadFor, loadValues, type NamedPerson } from "./load-stored-values.ts";
import { leaveOf, type WorkingSet } from "./working-set.ts";

/** An address in an import, and the list to put it on. */
interface Expected extends NamedPerson {
  readonly list: ListId | null;
}
export const expectedBy = (group: readonly CallerCommand[]): readonly Expected[] =>
  group.flatMap(({ kind, args }) =>
    kind === "imports.add"
      ? args.people.map(({ address }) => ({ account: args.account, list: args.list, key: address.key }))
      : [],
  );

type Load = () => Promise<void>;

/** An import that continues after an interruption: its batch is locked before its progress is read. */
const LOCK_BATCHES = statement(
  { id: integer },
  `SELECT b.id
   FROM unnest($1::bigint[], $2::bigint[]) AS n (account_id, id)
   JOIN import_batch AS b USING (account_id, id)
   ORDER BY b.account_id, b.id
   FOR UPDATE OF b`,
);
const VERSIONS = statement(
  { id: integer, version: integer },
  `SELECT p.import_id AS id, p.version
   FROM unnest($1::bigint[], $2::bigint[]) AS n (account_id, import_id)
   JOIN import_progress AS p USING (account_id, import_id)`,
);
const UNDONE = statement(
  { id: integer },
  `SELECT b.id
   FROM unnest($1::bigint[], $2::bigint[]) AS n (account_id, id)
   JOIN import_batch AS b USING (account_id, id)
   WHERE b.undo_started_at IS NOT NULL`,
);
export function progressLoads(
  db: Connection,
  set: WorkingSet,
  group: readonly CallerCommand[],
): readonly Promise<void>[] {
  const imports = group.flatMap(({ kind, args }) => (kind === "imports.add" ? [args] : []));
  if (imports.length === 0) return [];
  const namesOf = (some: typeof imports) =>
    [some.map(({ account }) => account), some.map(({ batch }) => batch)] as const;
  const closing = async (): Promise<void> => {
    for (const { id } of await db.all(UNDONE, ...namesOf(imports))) set.undoneImports.add(id);
  };
  const continued = imports.filter(({ progress }) => progress !== undefined);
  if (continued.length === 0) return [closing()];
  const named = namesOf(continued);
  const locking = async (): Promise<void> => void (await db.all(LOCK_BATCHES, ...named));
  const reading = async (): Promise<void> => {
    for (const { id, version } of await db.all(VERSIONS, ...named)) set.importVersions.set(id, version);
  };
  return [locking(), reading(), closing()];
}

/**
 * One statement each. The caller sends them together if the session allows it, otherwise one after the other.
 */
export function importLoads(db: Connection, set: WorkingSet, people: readonly Expected[]): readonly Load[] {
  if (people.length === 0) return [];
  const onLists = people.filter(({ list }) => list !== null);
  return [
    () => loadValues(db, set, people),
    ...(onLists.length === 0 ? [] : [() => loadLeaves(db, set, onLists)]),
  ];
}

/** Entries older than the list are ignored: they concern an earlier list with the same id. */
const LEAVES = statement(
  { person: integer, list: integer, at: integer },
  `SELECT h.subscriber_id AS person, l.id AS list, max(h.at) AS at
   FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (account_id, address_key, list_id)
   JOIN subscriber AS s USING (account_id, address_key)
   JOIN history AS h
     ON h.account_id = s.account_id AND h.subscriber_id = s.id AND h.kind = 'left' AND h.list_id = n.list_id
   JOIN list AS l ON l.account_id = h.account_id AND l.id = h.list_id AND h.at >= l.created_at
   GROUP BY h.subscriber_id, l.id`,
);
const loadLeaves: LoadFor<Expected> = async (db, set, people) => {
  const lists = people.map(({ list }) => list);
  const rows = await db.all(LEAVES, accountsOf(people), keysOf(people), lists);
  for (const { person, list, at } of rows) set.leaves.set(leaveOf(person, list), at);
};
