/** The audit log. */
import { type AuditEntry, type AuditedValues, auditedThings } from "../../domain/audit.ts";
import { originKinds } from "../../domain/origin.ts";
import type { AuditFilter, AuditLog } from "../../domain/ports/audit.ts";
import type { OfAccount } from "../../domain/ports/command.ts";
import { feature, read } from "./kit/feature.ts";
import { completedListing } from "./kit/listing.ts";
import { integer, json, nullable, oneOf, type RowOf, statement, text } from "./kit/statement.ts";

const entry = {
  id: integer,
  account: nullable(integer),
  at: integer,
  actorKind: oneOf(originKinds),
  actorName: nullable(text),
  from: nullable(text),
  action: text,
  thing: oneOf(auditedThings),
  thingId: text,
  before: nullable(json<AuditedValues>()),
  after: nullable(json<AuditedValues>()),
};
const ENTRY = `
  id, account_id AS account, at, actor_kind AS "actorKind", actor_name AS "actorName", came_from AS "from", action,
  thing, thing_id AS "thingId", changed_from AS "before", changed_to AS "after"`;

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
const toEntries = async (_db: unknown, _args: unknown, rows: readonly RowOf<typeof entry>[]) =>
  rows.map(toEntry);

const newestFirst = { row: entry, by: [["id", "id"]], descending: true } as const;
const filtered = (condition: string): string =>
  `at >= $1 AND (CAST($2 AS text) IS NULL OR action = $2) AND at <= $3 AND ${condition}`;
const filters = ({ action, since, until }: AuditFilter) =>
  [since ?? 0, action, until ?? Number.MAX_SAFE_INTEGER] as const;

const ofBlock = statement(
  entry,
  `SELECT ${ENTRY} FROM audit WHERE account_id = $1 AND thing = 'block' AND thing_id = $2 ORDER BY id`,
);

export const audit = feature<AuditLog>({
  all: completedListing(
    {
      ...newestFirst,
      select: (condition) => `SELECT ${ENTRY} FROM audit WHERE account_id = $4 AND ${filtered(condition)}`,
      parameters: ({ account, ...filter }: OfAccount & AuditFilter) => [...filters(filter), account],
    },
    toEntries,
  ),
  ofInstallation: completedListing(
    {
      ...newestFirst,
      select: (condition) => `SELECT ${ENTRY} FROM audit WHERE ${filtered(condition)}`,
      parameters: (filter: AuditFilter) => filters(filter),
    },
    toEntries,
  ),
  ofBlock: read(async (db, { account, pattern }) => (await db.all(ofBlock, account, pattern)).map(toEntry)),
});
