/** Commands about subscribers: loads what each decision needs, lets the rule decide, saves what it changed. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import type { DataType, FieldId } from "../../domain/field.ts";
import type { GivenData, PersonState } from "../../domain/person-data.ts";
import type { Writes } from "../../domain/ports.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import {
  type AddressState,
  type AddState,
  decideAdd,
  decideAddWithData,
  decideEvent,
  decideReactivate,
  decideRemove,
  decideUnsubscribe,
} from "../../domain/subscriber-rules.ts";
import { blockedAt } from "./block-list.ts";
import type { Connection } from "./connection.ts";
import { FACTS, type FactRow, toKnown } from "./facts.ts";
import { saveChanges } from "./subscriber-changes.ts";

const PERSON = `SELECT id, known_since AS since, ${FACTS} FROM subscriber WHERE account_id = ? AND address_key = ?`;

interface Loaded extends AddressState {
  readonly id: SubscriberId | null;
}

function load(db: Connection, account: AccountId, address: Address | null): Loaded {
  if (address === null) return { id: null, known: null, blockedAt: null };
  const row = db.get<FactRow>(PERSON, account, address.key);
  const blocked = blockedAt(db, account, address.key, address.domain);
  if (row === undefined) return { id: null, known: null, blockedAt: blocked };
  return { id: row.id, known: toKnown(row), blockedAt: blocked };
}

const listExists = (db: Connection, account: AccountId, list: number): boolean =>
  db.get("SELECT 1 FROM list WHERE id = ? AND account_id = ?", list, account) !== undefined;

const isMember = (db: Connection, list: number, id: SubscriberId | null): boolean =>
  id !== null &&
  db.get("SELECT 1 FROM membership WHERE list_id = ? AND subscriber_id = ?", list, id) !== undefined;

function fieldTypes(db: Connection, account: AccountId, data: GivenData): ReadonlyMap<FieldId, DataType> {
  const types = new Map<FieldId, DataType>();
  for (const { field } of data.values) {
    if (field === null || types.has(field)) continue;
    const row = db.get<{ type: DataType }>(
      "SELECT data_type AS type FROM field WHERE id = ? AND account_id = ?",
      field,
      account,
    );
    if (row !== undefined) types.set(field, row.type);
  }
  return types;
}

interface AccountRow {
  readonly country: string | null;
  readonly subscribers: number;
  readonly subscriberLimit: number | null;
}

function loadForAdd(
  db: Connection,
  { account, address, list }: Writes["addSubscriber"]["args"],
): Loaded & AddState & Pick<PersonState, "country"> {
  const loaded = load(db, account, address);
  const row = db.get<AccountRow>(
    "SELECT country, active_subscribers AS subscribers, limit_subscribers AS subscriberLimit FROM account WHERE id = ?",
    account,
  );
  if (row === undefined) throw new Error(`no account ${account}`);
  return {
    ...loaded,
    ...row,
    listExists: listExists(db, account, list),
    isMember: isMember(db, list, loaded.id),
  };
}

export function addSubscriber(
  db: Connection,
  command: Writes["addSubscriber"]["args"],
): Writes["addSubscriber"]["result"] {
  const loaded = loadForAdd(db, command);
  const { outcome, changes } = decideAdd(command, loaded);
  saveChanges(db, command.account, loaded.id, changes);
  return outcome;
}

export function addSubscriberWithData(
  db: Connection,
  command: Writes["addSubscriberWithData"]["args"],
): Writes["addSubscriberWithData"]["result"] {
  const { account, data } = command;
  const loaded = loadForAdd(db, command);
  const { outcome, changes } = decideAddWithData(command, {
    ...loaded,
    fieldTypes: fieldTypes(db, account, data),
  });
  saveChanges(db, account, loaded.id, changes);
  return outcome;
}

export function removeSubscriber(
  db: Connection,
  command: Writes["removeSubscriber"]["args"],
): Writes["removeSubscriber"]["result"] {
  const { account, address, list } = command;
  const loaded = load(db, account, address);
  const { outcome, changes } = decideRemove(command, {
    ...loaded,
    listExists: listExists(db, account, list),
    isMember: isMember(db, list, loaded.id),
  });
  saveChanges(db, account, loaded.id, changes);
  return outcome;
}

export function unsubscribe(
  db: Connection,
  command: Writes["unsubscribe"]["args"],
): Writes["unsubscribe"]["result"] {
  const loaded = load(db, command.account, command.address);
  const { outcome, changes } = decideUnsubscribe(command, loaded);
  saveChanges(db, command.account, loaded.id, changes);
  return outcome;
}

export function reactivate(
  db: Connection,
  command: Writes["reactivate"]["args"],
): Writes["reactivate"]["result"] {
  const loaded = load(db, command.account, command.address);
  const { outcome, changes } = decideReactivate(command, loaded);
  saveChanges(db, command.account, loaded.id, changes);
  return outcome;
}

export function recordEvent(
  db: Connection,
  command: Writes["recordEvent"]["args"],
): Writes["recordEvent"]["result"] {
  const { account, address, campaign, event } = command;
  const loaded = load(db, account, address);
  const { outcome, changes } = decideEvent(command, {
    ...loaded,
    campaignExists:
      db.get("SELECT 1 FROM campaign WHERE id = ? AND account_id = ?", campaign, account) !== undefined,
    isRecorded:
      db.get(
        "SELECT 1 FROM campaign_event WHERE campaign_id = ? AND event = ? AND subscriber_id = ?",
        campaign,
        event,
        loaded.id,
      ) !== undefined,
    earliestJoin:
      db.get<{ at: number | null }>(
        "SELECT min(m.joined_at) AS at FROM campaign_list AS c JOIN membership AS m ON m.list_id = c.list_id AND m.subscriber_id = ? WHERE c.campaign_id = ?",
        loaded.id,
        campaign,
      )?.at ?? null,
  });
  saveChanges(db, account, loaded.id, changes);
  return outcome;
}
