/** What happened to a subscriber: the history and the campaign results, whole or in pages. */
import { type Origin, originKinds } from "#domain/access/origin.ts";
import type { OfSubscriber } from "#domain/ports/subscribers.ts";
import { type HistoryEntry, historyKinds } from "#domain/subscriber/history.ts";
import { eventColumn } from "../../reads/event-row.ts";
import { readReplaced } from "../../reads/rows.ts";
import { completedListing } from "../kit/listing.ts";
import {
  column,
  integer,
  nullable,
  oneOf,
  type RowOf,
  selectList,
  statement,
  text,
} from "../kit/statement.ts";

const entry = {
  id: integer,
  at: integer,
  kind: oneOf(historyKinds),
  origin: oneOf(originKinds),
  key: column("key_id", nullable(integer)),
  batch: column("import_id", nullable(integer)),
  operator: column("operator_name", nullable(text)),
  user: column("user_id", nullable(integer)),
  campaign: column("campaign_id", nullable(integer)),
  list: column("list_id", nullable(integer)),
  detail: nullable(text),
  replaced: nullable(text),
};
const HISTORY = `SELECT ${selectList(entry)} FROM history WHERE account_id = $1 AND subscriber_id = $2`;

/** Oldest first; entries of the same time in the order in which they were written. */
export const historyOf = statement(entry, `${HISTORY} ORDER BY at, id`);

const result = {
  campaign: integer,
  name: text,
  event: eventColumn,
  at: integer,
  joinedAt: integer,
};
const RESULTS = `
  SELECT e.campaign_id AS campaign, c.name, e.event, e.at, e.joined_at AS "joinedAt"
  FROM campaign_event AS e JOIN campaign AS c ON c.account_id = e.account_id AND c.id = e.campaign_id
  WHERE e.account_id = $1 AND e.subscriber_id = $2 AND NOT c.is_deleting`;

/** Oldest first. */
export const resultsOf = statement(result, `${RESULTS} ORDER BY e.at, e.id`);

export const toHistoryEntry = ({
  id: _id,
  origin,
  key,
  batch,
  operator,
  user,
  replaced,
  ...row
}: RowOf<typeof entry>): HistoryEntry => ({
  ...row,
  origin: toOrigin(origin, { key, batch, operator, user }),
  replaced: replaced === null ? null : readReplaced(replaced),
});
function toOrigin(
  kind: Origin["kind"],
  { key, batch, operator, user }: Pick<RowOf<typeof entry>, "key" | "batch" | "operator" | "user">,
): Origin {
  if (kind === "key") return { kind, key: key ?? 0 };
  if (kind === "import") return { kind, batch };
  if (kind === "user") return { kind, user: user ?? 0 };
  return kind === "operator" && operator !== null ? { kind, name: operator } : { kind };
}

const parameters = ({ account, subscriber }: OfSubscriber) => [account, subscriber];

/** By id, for which there is an index: an entry whose time is in the past comes where it was recorded. */
export const historyPages = completedListing(
  {
    row: entry,
    select: (condition) => `${HISTORY} AND ${condition}`,
    by: ["id"],
    descending: true,
    parameters,
  },
  async (_db, _args, rows) => rows.map(toHistoryEntry),
);

/** A cursor has the event as it is stored. */
export const resultPages = completedListing(
  {
    row: { ...result, event: text },
    select: (condition) => `${RESULTS} AND ${condition}`,
    by: [
      ["campaign", "e.campaign_id"],
      ["event", "e.event"],
    ],
    descending: true,
    parameters,
  },
  async (_db, _args, rows) => rows.map((row) => ({ ...row, event: eventColumn.fromText(row.event) })),
);
