/** The changes of a working set as statements; none if nothing changed. */
import type { AccountId } from "#domain/account.ts";
import type { ListId } from "#domain/list.ts";
import type { Retention } from "#domain/refused-call.ts";
import { type SuppressionKind, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { postgresDialect } from "../../cold/kit/dialect.ts";
import { integer } from "../../cold/kit/statement.ts";
import { stateCounter } from "../../reads/who-counts.ts";
import type { DailyCount } from "../../writes/daily-counts.ts";
import type { Statement } from "../sessions/connection.ts";
import { change, statement } from "../statement.ts";
import { saveRefusals } from "./refused-calls.ts";
import { type Column, RowArrays } from "./row-arrays.ts";
import { savePeople } from "./save-people.ts";
import type { CreatedField, WorkingSet } from "./working-set.ts";

/** Counters come last, because other groups wait for them: the rest can be saved side by side. */
export const saveGroup = (set: WorkingSet, retention: Retention): readonly Statement[] => [
  ...savePeople(set),
  ...importCount.to(
    SAVE_IMPORT_COUNTS,
    [...set.importCounts].sort(([one], [other]) => one - other),
  ),
  ...importProgress.to(
    SAVE_IMPORT_PROGRESS,
    [...set.importProgress].sort(([one], [other]) => one - other),
  ),
  ...field.to(INSERT_FIELDS, set.newFields),
  ...lockCounters(set),
  ...saveCounters(set),
  ...saveSuppressed(set),
  ...saveRefusals(set, retention),
];

/** For an admin command, which has locked the whole account. */
export const saveChanges = (set: WorkingSet): readonly Statement[] => [
  ...savePeople(set),
  ...saveCounters(set),
  ...saveSuppressed(set),
];

const counted = new RowArrays<AccountId>({ id: ["bigint", (id) => id] });
const LOCK_COUNTERS = statement(
  { one: integer },
  "SELECT 1 AS one FROM account WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE",
);
/** The accounts whose counters, refused calls or no-ops change, in order of id. */
function lockCounters({
  accountDays,
  listDays,
  suppressed,
  refusals,
  noOps,
}: WorkingSet): readonly Statement[] {
  const changes = [...accountDays.all(), ...listDays.all(), ...refusals.values(), ...noOps.values()];
  const ids = new Set([...changes.map(({ account }) => account), ...suppressed.keys()]);
  return counted.to(
    LOCK_COUNTERS,
    [...ids].sort((one, other) => one - other),
  );
}

/** `list` is null in the counts of an account. */
interface CountedDay extends Omit<DailyCount, "id"> {
  readonly list: ListId | null;
}
const countedDay = new RowArrays<CountedDay>({
  account_id: ["bigint", ({ account }) => account],
  list_id: ["bigint", ({ list }) => list],
  day: ["bigint", ({ day }) => day],
  gained: ["bigint", ({ gained }) => gained],
  lost: ["bigint", ({ lost }) => lost],
});
const ADD = "gained = d.gained + excluded.gained, lost = d.lost + excluded.lost";
/** One statement for all: each further one costs a group about as much as a further subscriber. */
const SAVE_COUNTERS = change(
  `WITH given AS (
     SELECT * FROM ${countedDay.table}
   ), account_days AS (
     INSERT INTO account_day AS d (account_id, day, gained, lost)
     SELECT account_id, day, gained, lost FROM given WHERE list_id IS NULL
     ON CONFLICT (account_id, day) DO UPDATE SET ${ADD}
   ), list_days AS (
     INSERT INTO list_day AS d (account_id, list_id, day, gained, lost)
     SELECT account_id, list_id, day, gained, lost FROM given WHERE list_id IS NOT NULL
     ON CONFLICT (account_id, list_id, day) DO UPDATE SET ${ADD}
   ), changed AS (
     SELECT account_id, list_id, sum(gained - lost)::bigint AS by FROM given GROUP BY account_id, list_id
   ), members AS (
     UPDATE list SET member_count = member_count + n.by
     FROM changed AS n
     WHERE list.account_id = n.account_id AND list.id = n.list_id AND n.by <> 0
   )
   UPDATE account SET active_subscribers = active_subscribers + n.by
   FROM changed AS n
   WHERE account.id = n.account_id AND n.list_id IS NULL AND n.by <> 0`,
);
type SuppressedCounts = readonly [AccountId, Readonly<Record<SuppressionKind, number>>];
const suppressedCount = new RowArrays<SuppressedCounts>({
  account_id: ["bigint", ([account]) => account],
  ...Object.fromEntries(
    suppressionKinds.map((kind): [string, Column<SuppressedCounts>] => [
      stateCounter(kind),
      ["bigint", ([, counts]) => counts[kind]],
    ]),
  ),
});
/** By itself: adds change no number of suppressed subscribers, and pay nothing for it. */
const SAVE_SUPPRESSED = change(
  `UPDATE account AS a SET
     ${suppressionKinds
       .map(stateCounter)
       .map((counter) => `${counter} = a.${counter} + n.${counter}`)
       .join(", ")}
   FROM ${suppressedCount.table}
   WHERE a.id = n.account_id`,
);
const saveSuppressed = ({ suppressed }: WorkingSet): readonly Statement[] =>
  suppressedCount.to(
    SAVE_SUPPRESSED,
    [...suppressed].filter(([, counts]) => suppressionKinds.some((kind) => counts[kind] !== 0)),
  );

const saveCounters = ({ accountDays, listDays }: WorkingSet): readonly Statement[] =>
  countedDay.to(SAVE_COUNTERS, [
    ...accountDays.all().map((count) => ({ ...count, list: null })),
    ...listDays.all().map((count) => ({ ...count, list: count.id })),
  ]);

type Entry<Counts> = Counts extends ReadonlyMap<infer Key, infer Value> ? readonly [Key, Value] : never;
const importCount = new RowArrays<Entry<WorkingSet["importCounts"]>>({
  account_id: ["bigint", ([, { account }]) => account],
  id: ["bigint", ([id]) => id],
  counts: ["text", ([, { counts }]) => JSON.stringify(counts)],
});
const SAVE_IMPORT_COUNTS = change(
  `UPDATE import_batch AS b SET counts = n.counts
   FROM ${importCount.table}
   WHERE b.account_id = n.account_id AND b.id = n.id`,
);

const importProgress = new RowArrays<Entry<WorkingSet["importProgress"]>>({
  account_id: ["bigint", ([, { account }]) => account],
  import_id: ["bigint", ([id]) => id],
  version: ["bigint", ([, { progress }]) => progress.version],
  done_rows: ["bigint", ([, { progress }]) => progress.rows],
  state: ["text", ([, { progress }]) => progress.state],
});
const SAVE_IMPORT_PROGRESS = change(
  `INSERT INTO import_progress (${importProgress.names}) SELECT * FROM ${importProgress.table}
   ON CONFLICT (account_id, import_id) DO UPDATE SET
     version = excluded.version, done_rows = excluded.done_rows, state = excluded.state`,
);

const field = new RowArrays<CreatedField>({
  account_id: ["bigint", ({ account }) => account],
  name: ["text", ({ name }) => name],
  name_key: ["text", ({ key }) => key],
  data_type: ["text", ({ type }) => type],
  is_private: ["boolean", ({ isPrivate }) => isPrivate],
  created_at: ["bigint", ({ at }) => at],
});
const INSERT_FIELDS = change(
  `INSERT INTO field (id, ${field.names})
   SELECT ${postgresDialect.nextFieldId("n.account_id IS NOT NULL")}, n.* FROM ${field.table}`,
);
