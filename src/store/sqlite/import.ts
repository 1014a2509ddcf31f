/** People taken over from elsewhere: many in one transaction, each upon what those before it left. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import type { FieldId } from "../../domain/field.ts";
import { decideImport, type ImportState } from "../../domain/import-rules.ts";
import type { ListId } from "../../domain/list.ts";
import type { Reads, Writes } from "../../domain/ports.ts";
import type { BasicData, SubscriberId } from "../../domain/subscriber.ts";
import type { Connection } from "./connection.ts";
import { FACTS, type FactRow, toKnown } from "./facts.ts";
import { saveChanges } from "./subscriber-changes.ts";
import { Work } from "./work.ts";

/**
 * Addresses come in any order, so each batch changes pages all over their index. Folding the journal into the file at 32 MB
 * instead of 4 writes most of them once instead of many times (measured: a fifth of the time), and a larger cache
 * reads them less often.
 */
const MANY_PAGES = "PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -65536";

interface Target {
  readonly account: AccountId;
  readonly list: ListId | null;
  /** When the list was made: what happened before concerns another one that had its id. */
  readonly since: number;
}

const PERSON = `SELECT id, known_since AS since, ${FACTS}, first_name AS firstName, last_name AS lastName, gender, birthday, country FROM subscriber WHERE account_id = ? AND address_key = ?`;
type PersonRow = FactRow & BasicData;
type Loaded = ImportState & { readonly id: SubscriberId | null };
const noValues: ReadonlyMap<FieldId, string> = new Map();

function load(work: Work, { account, list, since }: Target, address: Address): Loaded {
  const { db } = work;
  const blockedAt = work.blockedAt(account, address);
  const row = db.get<PersonRow>(PERSON, account, address.key);
  if (row === undefined)
    return {
      id: null,
      known: null,
      blockedAt,
      erased: work.erased(account, address),
      isMember: false,
      leftAt: null,
      data: null,
      values: noValues,
    };
  const { id, firstName, lastName, gender, birthday, country } = row;
  const isMember =
    db.get("SELECT 1 FROM membership WHERE list_id = ? AND subscriber_id = ?", list, id) !== undefined;
  return {
    id,
    known: toKnown(row),
    blockedAt,
    erased: null,
    isMember,
    leftAt: isMember ? null : leftAt(db, id, list, since),
    data: { firstName, lastName, gender, birthday, country },
    values: valuesOf(db, id),
  };
}

const leftAt = (db: Connection, id: SubscriberId, list: ListId | null, since: number): number | null =>
  db.get<{ at: number | null }>(
    "SELECT max(at) AS at FROM history WHERE subscriber_id = ? AND kind = 'left' AND list_id = ? AND at >= ?",
    id,
    list,
    since,
  )?.at ?? null;

const valuesOf = (db: Connection, id: SubscriberId): ReadonlyMap<FieldId, string> =>
  new Map(
    db
      .allExact<{ field: FieldId; value: string }>(
        "SELECT field_id AS field, value FROM custom_value WHERE subscriber_id = ?",
        id,
      )
      .map(({ field, value }) => [field, value]),
  );

/** null: the account has no such list. */
function findTarget(work: Work, account: AccountId, list: ListId | null): Target | null {
  const since = list === null ? 0 : work.listSince(account, list);
  return since === null ? null : { account, list, since };
}

export function importPeople(
  work: Work,
  { account, list, at, people }: Writes["importPeople"]["args"],
): Writes["importPeople"]["result"] {
  const target = findTarget(work, account, list);
  if (target === null) return null;
  work.db.exec(MANY_PAGES);
  const cause = { at, origin: { kind: "import" } } as const;
  return people.map((person) => {
    const state = load(work, target, person.address);
    const { outcome, isNew, changes } = decideImport(person, list, cause, state, work.accountFacts(account));
    saveChanges(work, account, state.id, changes);
    return { outcome, isNew };
  });
}

export function importStates(
  db: Connection,
  { account, list, addresses }: Reads["importStates"]["args"],
): Reads["importStates"]["result"] {
  const work = new Work(db);
  const target = findTarget(work, account, list);
  if (target === null) throw new Error(`no list ${list}`);
  const { subscribers, subscriberLimit } = work.accountFacts(account);
  return { subscribers, subscriberLimit, states: addresses.map((address) => load(work, target, address)) };
}
