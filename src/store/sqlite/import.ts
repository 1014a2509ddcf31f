/** People taken over from elsewhere: many in one transaction, each upon what those before it left. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import type { FieldId } from "../../domain/field.ts";
import { decideImport, type ImportState, type Room } from "../../domain/import-rules.ts";
import type { ListId } from "../../domain/list.ts";
import type { Reads, Writes } from "../../domain/ports.ts";
import type { BasicData, SubscriberId } from "../../domain/subscriber.ts";
import { blockedAt } from "./block-list.ts";
import type { Connection } from "./connection.ts";
import { Counters } from "./counters.ts";
import { FACTS, type FactRow, toKnown } from "./facts.ts";
import { applyChanges } from "./subscriber-changes.ts";

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
  readonly hasBlocks: boolean;
}

/** null: the account has no such list. */
function findTarget(db: Connection, account: AccountId, list: ListId | null): Target | null {
  const hasBlocks = db.get("SELECT 1 FROM block WHERE account_id = ? LIMIT 1", account) !== undefined;
  if (list === null) return { account, list, since: 0, hasBlocks };
  const found = db.get<{ since: number }>(
    "SELECT created_at AS since FROM list WHERE id = ? AND account_id = ?",
    list,
    account,
  );
  return found === undefined ? null : { account, list, since: found.since, hasBlocks };
}

function roomOf(db: Connection, account: AccountId): Room {
  const room = db.get<Room>(
    "SELECT active_subscribers AS subscribers, limit_subscribers AS subscriberLimit FROM account WHERE id = ?",
    account,
  );
  if (room === undefined) throw new Error(`no account ${account}`);
  return room;
}

const PERSON = `SELECT id, known_since AS since, ${FACTS}, first_name AS firstName, last_name AS lastName, gender, birthday, country FROM subscriber WHERE account_id = ? AND address_key = ?`;
type PersonRow = FactRow & BasicData;
type Loaded = ImportState & { readonly id: SubscriberId | null };
const noValues: ReadonlyMap<FieldId, string> = new Map();

function load(db: Connection, { account, list, since, hasBlocks }: Target, address: Address): Loaded {
  const blocked = hasBlocks ? blockedAt(db, account, address.key, address.domain) : null;
  const row = db.get<PersonRow>(PERSON, account, address.key);
  if (row === undefined)
    return {
      id: null,
      known: null,
      blockedAt: blocked,
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
    blockedAt: blocked,
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

export function importPeople(
  db: Connection,
  { account, list, at, people }: Writes["importPeople"]["args"],
): Writes["importPeople"]["result"] {
  const target = findTarget(db, account, list);
  if (target === null) return null;
  db.exec(MANY_PAGES);
  const cause = { at, origin: { kind: "import" } } as const;
  const { subscribers, subscriberLimit } = roomOf(db, account);
  const counters = new Counters();
  const results = people.map((person) => {
    const state = load(db, target, person.address);
    const room = { subscribers: subscribers + counters.subscribersOf(account), subscriberLimit };
    const { outcome, isNew, changes } = decideImport(person, list, cause, state, room);
    applyChanges(db, counters, account, state.id, changes);
    return { outcome, isNew };
  });
  counters.save(db);
  return results;
}

export function importStates(
  db: Connection,
  { account, list, addresses }: Reads["importStates"]["args"],
): Reads["importStates"]["result"] {
  const target = findTarget(db, account, list);
  if (target === null) throw new Error(`no list ${list}`);
  return { ...roomOf(db, account), states: addresses.map((address) => load(db, target, address)) };
}
