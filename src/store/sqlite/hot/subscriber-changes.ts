/**
 * Saves the changes that a rule decided for one subscriber. Counters are saved at the end of the unit of
 * work.
 */
import { batchOf, keyOf, operatorOf, userOf } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import { bySuppression, type SubscriberId } from "#domain/subscriber/subscriber.ts";
import { integer } from "../../cold/kit/statement.ts";
import { storedEvent } from "../../reads/event-row.ts";
import { writeReplaced } from "../../reads/rows.ts";
import { COUNTED_MEMBERSHIP, statusCode, suppressionColumn } from "../../reads/who-counts.ts";
import { newestIsByLink } from "../../writes/repeated-opt-out.ts";
import type { Connection } from "../connection.ts";
import { change, statement } from "../statement.ts";
import type { Counters } from "./counters.ts";

const INSERT_SUBSCRIBER = change(
  `INSERT INTO subscriber (
     account_id, address, address_key, known_since, blocked_at,
     first_name, last_name, gender, birthday, country, imported, import_id
   ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);
const DESCRIBE = change(
  `UPDATE subscriber SET
     first_name = coalesce(?, first_name), last_name = coalesce(?, last_name),
     gender = coalesce(?, gender), birthday = coalesce(?, birthday), country = coalesce(?, country),
     imported = ?
   WHERE id = ?`,
);
const RENAME_EVENTS = change(
  `UPDATE campaign_event SET
     first_name = coalesce(?1, first_name), last_name = coalesce(?2, last_name)
   WHERE subscriber_id = ?3 AND (first_name <> ?1 OR last_name <> ?2)`,
);
const SET_VALUE = change(
  `INSERT INTO custom_value (account_id, subscriber_id, field_id, value, given_at, key_id, import_id)
   VALUES (?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (subscriber_id, field_id) DO UPDATE SET
     value = excluded.value, given_at = excluded.given_at,
     key_id = excluded.key_id, import_id = excluded.import_id`,
);
const JOIN = change(
  `INSERT INTO membership (account_id, list_id, subscriber_id, joined_at, status, import_id)
   VALUES (?, ?, ?, ?, ?, ?)`,
);
const CONFIRM = change(
  `UPDATE membership SET import_id = CASE WHEN ?1 IS NULL THEN NULL ELSE import_id END, confirmed_by = ?1
   WHERE list_id = ?2 AND subscriber_id = ?3`,
);
const LEAVE = change("DELETE FROM membership WHERE list_id = ? AND subscriber_id = ?");
const SET_SUPPRESSION = bySuppression((kind) =>
  change(`UPDATE subscriber SET ${suppressionColumn[kind]} = ? WHERE id = ?`),
);
const COUNTED_LISTS = statement(
  { list: integer },
  `SELECT list_id AS list FROM membership AS m WHERE subscriber_id = ? AND ${COUNTED_MEMBERSHIP}`,
);
const ADD_EVENT = change(
  `INSERT INTO campaign_event (
     account_id, campaign_id, event, subscriber_id, at, joined_at, first_name, last_name, address
   )
   SELECT account_id, ?, ?, id, ?, ?, first_name, last_name, address
   FROM subscriber
   WHERE id = ?`,
);
const INSERT_HISTORY = `INSERT INTO history (
     account_id, subscriber_id, at, kind, origin, key_id, campaign_id, list_id, detail, import_id, replaced,
     operator_name, user_id
   )`;
const ADD_HISTORY = change(`${INSERT_HISTORY} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
const ADD_AFTER_LINK = change(
  `${INSERT_HISTORY}
   SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
   WHERE ${newestIsByLink("h.subscriber_id = ?2")}`,
);
const DELETE_SUBSCRIBER = [
  change("DELETE FROM custom_value WHERE subscriber_id = ?"),
  change("DELETE FROM membership WHERE subscriber_id = ?"),
  change("DELETE FROM history WHERE subscriber_id = ?"),
  change("DELETE FROM campaign_event WHERE subscriber_id = ?"),
  change("DELETE FROM subscriber WHERE id = ?"),
];

/** `id` is null if the first change creates the subscriber. */
export function saveChanges(
  db: Connection,
  counters: Counters,
  account: AccountId,
  id: SubscriberId | null,
  changes: readonly SubscriberChange[],
): void {
  let person = id;
  const isNew = id === null;
  for (const change of changes) {
    if (change.kind === "create-subscriber") {
      counters.changeState(account, change.at, null, change.blockedAt === null ? "active" : "blocked");
      person = createSubscriber(db, account, change, changes.find(isDescription) ?? nothing);
    } else if (person === null) throw new Error(`${change.kind} without a subscriber`);
    else if (!(isNew && isDescription(change))) save(db, counters, account, person, change);
  }
}
type Description = Extract<SubscriberChange, { kind: "describe" }>;
const nothing: Pick<Description, "data" | "imported"> = { data: {}, imported: 0 };
const isDescription = (change: SubscriberChange): change is Description => change.kind === "describe";

/** With the values of the first change. */
const createSubscriber = (
  db: Connection,
  account: AccountId,
  { address, at, blockedAt, import: batch }: Extract<SubscriberChange, { kind: "create-subscriber" }>,
  { data: { firstName, lastName, gender, birthday, country }, imported }: typeof nothing,
): SubscriberId =>
  db.insert(
    INSERT_SUBSCRIBER,
    account,
    address.text,
    address.key,
    at,
    blockedAt,
    firstName ?? "",
    lastName ?? "",
    gender ?? null,
    birthday ?? null,
    country ?? null,
    imported,
    batch ?? null,
  );

function save(
  db: Connection,
  counters: Counters,
  account: AccountId,
  person: SubscriberId,
  change: Exclude<SubscriberChange, { kind: "create-subscriber" }>,
): void {
  switch (change.kind) {
    case "describe": {
      const { firstName, lastName, gender, birthday, country } = change.data;
      db.run(
        DESCRIBE,
        firstName ?? null,
        lastName ?? null,
        gender ?? null,
        birthday ?? null,
        country ?? null,
        change.imported,
        person,
      );
      renameEvents(db, person, firstName, lastName);
      return;
    }
    case "set-value":
      db.run(
        SET_VALUE,
        account,
        person,
        change.field,
        change.value,
        change.at,
        keyOf(change.origin),
        batchOf(change.origin),
      );
      return;
    case "join":
      db.run(JOIN, account, change.list, person, change.at, statusCode[change.status], change.import ?? null);
      if (change.counted) counters.countMembers(account, change.list, change.at, 1);
      return;
    case "confirm-membership":
      db.run(CONFIRM, change.by, change.list, person);
      return;
    case "leave":
      db.run(LEAVE, change.list, person);
      if (change.counted) counters.countMembers(account, change.list, change.at, -1);
      return;
    case "set-suppression":
      db.run(SET_SUPPRESSION[change.suppression], change.at, person);
      return;
    case "clear-suppression":
      db.run(SET_SUPPRESSION[change.suppression], null, person);
      return;
    case "change-state": {
      const by = counters.changeState(account, change.at, change.from, change.to);
      if (by === 0) return;
      for (const { list } of db.all(COUNTED_LISTS, person))
        counters.countMembers(account, list, change.at, by);
      return;
    }
    case "add-campaign-event":
      db.run(ADD_EVENT, change.campaign, storedEvent[change.event], change.at, change.joinedAt, person);
      return;
    case "add-history":
      saveHistoryEntry(db, account, person, change);
      return;
    case "delete-subscriber":
      for (const sql of DELETE_SUBSCRIBER) db.run(sql, person);
      return;
    default:
      change satisfies never;
  }
}

/**
 * The names are stored with the subscriber's campaign events, too. Most subscribers have none: one lookup.
 */
function renameEvents(
  db: Connection,
  person: SubscriberId,
  firstName: string | undefined,
  lastName: string | undefined,
): void {
  if (firstName === undefined && lastName === undefined) return;
  db.run(RENAME_EVENTS, firstName ?? null, lastName ?? null, person);
}

function saveHistoryEntry(
  db: Connection,
  account: AccountId,
  person: SubscriberId,
  { entry, isAfterLink }: Extract<SubscriberChange, { kind: "add-history" }>,
): void {
  const { at, kind, origin, campaign, list, detail, replaced } = entry;
  db.run(
    isAfterLink === true ? ADD_AFTER_LINK : ADD_HISTORY,
    account,
    person,
    at,
    kind,
    origin.kind,
    keyOf(origin),
    campaign,
    list,
    detail,
    batchOf(origin),
    writeReplaced(replaced),
    operatorOf(origin),
    userOf(origin),
  );
}
