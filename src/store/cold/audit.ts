/** The audit log. It is walked from the newest entry; actor, action and time filter what is visited. */
import type { AuditEntry } from "#domain/access/audit.ts";
import type { AccountId } from "#domain/account.ts";
import {
  type AuditFilter,
  type AuditLog,
  type NamedThing,
  namedThings,
  type ThingName,
} from "#domain/ports/access/audit.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import { auditEntry } from "../tables/entities.ts";
import type { Db } from "./kit/db.ts";
import { feature, type ListingOperation, read } from "./kit/feature.ts";
import { bigint, integer, type RowOf, type Statement, statement, text } from "./kit/statement.ts";
import { byId, inBoth, type KeyRange, walkPage } from "./kit/walk.ts";

const { row: entry, columns: ENTRY } = auditEntry;
const toEntry = (row: RowOf<typeof entry>): AuditEntry => {
  const { actorKind, actorName, thing, thingId, before, after, ...rest } = row;
  return {
    ...rest,
    actor: { kind: actorKind, name: actorName },
    about: { kind: thing, id: thingId },
    before,
    after,
  };
};

/** The most rows that one page visits. No index leads to an actor, an action or a time. */
const MAX_VISITS = 10_000;

const NEWEST_FIRST = ["id DESC", "id"] as const;
const IN_RANGE = "id <= $1 AND id > $2";
const MATCHES = `at >= $3 AND (CAST($4 AS text) IS NULL OR action = $4) AND at <= $5
  AND (CAST($6 AS text) IS NULL OR actor_kind = $6) AND (CAST($7 AS text) IS NULL OR actor_name = $7)`;
/** `ofAccount` is a condition on the given parameter, or none. */
const walkOf = (ofAccount: (parameter: string) => string) => ({
  keyAt: inBoth(
    (order) =>
      statement(
        { id: integer },
        `SELECT id FROM audit WHERE ${IN_RANGE} ${ofAccount("$4")} ORDER BY ${order} LIMIT 1 OFFSET $3`,
      ),
    NEWEST_FIRST,
  ),
  matches: inBoth(
    (order) =>
      statement(
        entry,
        `SELECT ${ENTRY} FROM audit WHERE ${IN_RANGE} AND ${MATCHES} ${ofAccount("$9")} ORDER BY ${order} LIMIT $8 + 0`,
      ),
    NEWEST_FIRST,
  ),
});
const walks = { account: walkOf((parameter) => `AND account_id = ${parameter}`), all: walkOf(() => "") };

/** Ids from the highest to the lowest, as keys that ascend. */
const keyOf = (id: number): number => Number.MAX_SAFE_INTEGER - id;
const idOf = keyOf;

const search = <Args extends AuditFilter>(
  { keyAt, matches }: (typeof walks)["all"],
  accountOf: (args: Args) => readonly AccountId[],
  mostVisits: number,
): ListingOperation<Args, AuditEntry> => ({
  kind: "listing",
  mayWalk: ({ actor, action, since, until }) => (actor ?? action ?? since ?? until ?? null) !== null,
  async page(db: Db, args: Args, range: PageRange): Promise<Page<AuditEntry>> {
    const { actor = null, action, since, until } = args;
    const account = accountOf(args);
    const bounds = ({ from, to }: KeyRange<number>) => [idOf(from), idOf(to)] as const;
    const who = [actor?.kind ?? null, actor?.name ?? null] as const;
    const isFiltered = (actor ?? action ?? since ?? until ?? null) !== null;
    const page = await walkPage(
      db,
      {
        search: [...account, action, since, until, ...who],
        ...byId,
        keyAt: async (visited, direction, skipped) => {
          const found = await db.get(keyAt[direction], ...bounds(visited), skipped, ...account);
          return found === null ? null : keyOf(found.id);
        },
        matches: async (visited, direction, limit) => {
          const times = [since ?? 0, action, until ?? Number.MAX_SAFE_INTEGER] as const;
          const filter = [...times, ...who, limit] as const;
          const rows = await db.all(matches[direction], ...bounds(visited), ...filter, ...account);
          return rows.map((row) => ({ key: keyOf(row.id), row }));
        },
      },
      range,
      isFiltered ? mostVisits : Math.min(mostVisits, range.limit + 1),
    );
    return { ...page, rows: page.rows.map(({ row }) => toEntry(row)) };
  },
});
export const auditSearch = (mostVisits = MAX_VISITS) => ({
  all: search<OfAccount & AuditFilter>(walks.account, ({ account }) => [account], mostVisits),
  ofInstallation: search<AuditFilter>(walks.all, () => [], mostVisits),
});

/** No index leads to a pattern: the newest entries of the account are looked at. */
const ofBlock = statement(
  entry,
  `SELECT ${ENTRY}
   FROM (SELECT * FROM audit WHERE account_id = $1 ORDER BY id DESC LIMIT CAST($3 AS bigint)) AS visited
   WHERE thing = 'block' AND thing_id = $2
   ORDER BY id`,
);

const nameColumns = { list: "name", field: "name", campaign: "name", sender: "from_address" } as const;
const namesIn = Object.fromEntries(
  namedThings.map((kind) => [
    kind,
    statement(
      { id: bigint, name: text },
      ({ isIn }) =>
        `SELECT id, ${nameColumns[kind]} AS name FROM ${kind} WHERE account_id = $1 AND ${isIn("id", "$2")}`,
    ),
  ]),
) as Readonly<Record<NamedThing, Statement<{ readonly id: bigint; readonly name: string }>>>;

export const audit = feature<AuditLog>({
  ...auditSearch(),
  namesOf: read(async (db, { account, ids }) => {
    const found: ThingName[] = [];
    for (const kind of namedThings) {
      if (ids[kind].length === 0) continue;
      const rows = await db.all(namesIn[kind], account, ids[kind].map(BigInt));
      found.push(...rows.map(({ id, name }) => ({ kind, id: String(id), name })));
    }
    return found;
  }),
  ofBlock: read(async (db, { account, pattern, most }) =>
    (await db.all(ofBlock, account, pattern, most)).map(toEntry),
  ),
});
