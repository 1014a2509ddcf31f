/** Commands about subscribers: loads what each decision needs, lets the rule decide, saves what it changed. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
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
import { FACTS, type FactRow, toKnown } from "./facts.ts";
import { saveChanges } from "./subscriber-changes.ts";
import type { AccountFacts, Work } from "./work.ts";

const PERSON = `SELECT id, known_since AS since, ${FACTS} FROM subscriber WHERE account_id = ? AND address_key = ?`;

interface Loaded extends AddressState {
  readonly id: SubscriberId | null;
}

function load(work: Work, account: AccountId, address: Address | null): Loaded {
  if (address === null) return { id: null, known: null, blockedAt: null, erased: null };
  const row = work.db.get<FactRow>(PERSON, account, address.key);
  const blockedAt = work.blockedAt(account, address);
  if (row === undefined) return { id: null, known: null, blockedAt, erased: work.erased(account, address) };
  return { id: row.id, known: toKnown(row), blockedAt, erased: null };
}

const isMember = ({ db }: Work, list: number, id: SubscriberId | null): boolean =>
  id !== null &&
  db.get("SELECT 1 FROM membership WHERE list_id = ? AND subscriber_id = ?", list, id) !== undefined;

function loadForAdd(
  work: Work,
  { account, address, list }: Writes["addSubscriber"]["args"],
): Loaded & AddState & AccountFacts {
  const loaded = load(work, account, address);
  return {
    ...loaded,
    ...work.accountFacts(account),
    listExists: work.hasList(account, list),
    isMember: isMember(work, list, loaded.id),
  };
}

export function addSubscriber(
  work: Work,
  command: Writes["addSubscriber"]["args"],
): Writes["addSubscriber"]["result"] {
  const loaded = loadForAdd(work, command);
  const { outcome, changes } = decideAdd(command, loaded);
  saveChanges(work, command.account, loaded.id, changes);
  return outcome;
}

export function addSubscriberWithData(
  work: Work,
  command: Writes["addSubscriberWithData"]["args"],
): Writes["addSubscriberWithData"]["result"] {
  const { account } = command;
  const loaded = loadForAdd(work, command);
  const { outcome, changes } = decideAddWithData(command, {
    ...loaded,
    fieldTypes: work.fieldTypes(account),
  });
  saveChanges(work, account, loaded.id, changes);
  return outcome;
}

export function removeSubscriber(
  work: Work,
  command: Writes["removeSubscriber"]["args"],
): Writes["removeSubscriber"]["result"] {
  const { account, address, list } = command;
  const loaded = load(work, account, address);
  const { outcome, changes } = decideRemove(command, {
    ...loaded,
    listExists: work.hasList(account, list),
    isMember: isMember(work, list, loaded.id),
  });
  saveChanges(work, account, loaded.id, changes);
  return outcome;
}

export function unsubscribe(
  work: Work,
  command: Writes["unsubscribe"]["args"],
): Writes["unsubscribe"]["result"] {
  const loaded = load(work, command.account, command.address);
  const { outcome, changes } = decideUnsubscribe(command, loaded);
  saveChanges(work, command.account, loaded.id, changes);
  return outcome;
}

export function reactivate(
  work: Work,
  command: Writes["reactivate"]["args"],
): Writes["reactivate"]["result"] {
  const loaded = load(work, command.account, command.address);
  const { outcome, changes } = decideReactivate(command, loaded);
  saveChanges(work, command.account, loaded.id, changes);
  return outcome;
}

export function recordEvent(
  work: Work,
  command: Writes["recordEvent"]["args"],
): Writes["recordEvent"]["result"] {
  const { db } = work;
  const { account, address, campaign, event } = command;
  const loaded = load(work, account, address);
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
  saveChanges(work, account, loaded.id, changes);
  return outcome;
}
