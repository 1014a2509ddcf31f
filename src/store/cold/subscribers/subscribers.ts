/** Subscribers, as an operator sees, corrects and erases them. Other changes are in `caller-commands.ts`. */

import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import { importedNames } from "#domain/field/value-rules.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type {
  SubscriberBrief,
  SubscriberData,
  SubscriberRecord,
  Subscribers,
} from "#domain/ports/subscribers.ts";
import {
  bySuppression,
  isCounted,
  type SubscriberId,
  stateOf,
  suppressionKinds,
} from "#domain/subscriber/subscriber.ts";
import { basicsRow, suppressionRow, toAddress, toData, toSuppressions } from "../../reads/rows.ts";
import { stateCounter, toStatus } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import { command, feature, read } from "../kit/feature.ts";
import {
  bigint,
  column,
  integer,
  nullable,
  type RowOf,
  selectList,
  statement,
  text,
} from "../kit/statement.ts";
import { correctSubscriber } from "./correction.ts";
import { eraseSubscriber } from "./erasure.ts";
import { foundMembers } from "./members.ts";
import { historyOf, historyPages, resultPages, resultsOf, toHistoryEntry } from "./subscriber-history.ts";
import { subscriberSearch } from "./subscriber-search.ts";

/** Which address has which id, and what an operator asks first: two indexed lookups. */
const briefRow = { id: integer, address: text, key: column("address_key", text), ...suppressionRow };
const BRIEF = `SELECT ${selectList(briefRow)} FROM subscriber WHERE account_id = $1`;
const byAddress = statement(briefRow, `${BRIEF} AND address_key = $2`);
const byId = statement(briefRow, `${BRIEF} AND id = $2`);
const memberships = statement(
  { list: integer, status: integer },
  `SELECT list_id AS list, status FROM membership
   WHERE account_id = $1 AND subscriber_id = $2
   ORDER BY list_id`,
);

type Named = OfAccount & ({ readonly address: Address } | { readonly id: SubscriberId });
async function findSubscriber(db: Db, { account, ...named }: Named): Promise<SubscriberBrief | null> {
  const found =
    "id" in named
      ? await db.get(byId, account, named.id)
      : await db.get(byAddress, account, named.address.key);
  if (found === null) return null;
  const { id, address, key } = found;
  const lists = await db.all(memberships, account, id);
  return {
    id,
    address: toAddress(address, key),
    suppressions: toSuppressions(found),
    pending: lists.filter(({ status }) => toStatus(status) === "pending").map(({ list }) => list),
  };
}

/** One subscriber with all stored data, with what happened or without it. */
const person = { id: integer, address: text, knownSince: integer, ...basicsRow, ...suppressionRow };
const PERSON = `SELECT ${selectList(person)} FROM subscriber WHERE account_id = $1`;
const personByAddress = statement(person, `${PERSON} AND address_key = $2`);
const personById = statement(person, `${PERSON} AND id = $2`);
const valuesOf = statement(
  {
    field: bigint,
    name: text,
    value: text,
    at: integer,
    key: nullable(integer),
    batch: nullable(integer),
  },
  `SELECT f.id AS field, f.name, v.value, v.given_at AS at, v.key_id AS key, v.import_id AS batch
   FROM custom_value AS v JOIN field AS f ON f.account_id = v.account_id AND f.id = v.field_id
   WHERE v.account_id = $1 AND v.subscriber_id = $2 AND NOT f.is_deleting
   ORDER BY f.created_at, f.id`,
);
const listsOf = statement(
  { id: integer, name: text, joinedAt: integer, status: integer },
  `SELECT l.id, l.name, m.joined_at AS "joinedAt", m.status
   FROM membership AS m JOIN list AS l ON l.account_id = m.account_id AND l.id = m.list_id
   WHERE m.account_id = $1 AND m.subscriber_id = $2
   ORDER BY l.id`,
);

const find = (db: Db, one: Named): Promise<RowOf<typeof person> | null> =>
  "address" in one
    ? db.get(personByAddress, one.account, one.address.key)
    : db.get(personById, one.account, one.id);

async function findRecord(db: Db, one: Named): Promise<SubscriberRecord | null> {
  const found = await find(db, one);
  if (found === null) return null;
  return {
    ...(await dataOf(db, one.account, found)),
    history: (await db.all(historyOf, one.account, found.id)).map(toHistoryEntry),
    losses: await db.all(resultsOf, one.account, found.id),
  };
}
async function findData(db: Db, one: Named): Promise<SubscriberData | null> {
  const found = await find(db, one);
  return found === null ? null : await dataOf(db, one.account, found);
}

async function dataOf(db: Db, account: AccountId, found: RowOf<typeof person>): Promise<SubscriberData> {
  const of = [account, found.id] as const;
  const suppressions = toSuppressions(found);
  return {
    id: found.id,
    address: found.address,
    state: stateOf(suppressions),
    suppressions,
    knownSince: found.knownSince,
    data: toData(found),
    imported: importedNames(found.imported),
    values: await db.all(valuesOf, ...of),
    lists: (await db.all(listsOf, ...of)).map((list) => {
      const status = toStatus(list.status);
      return { ...list, status, counts: isCounted(suppressions, status) };
    }),
  };
}

const counters = (["active", ...suppressionKinds] as const).map(
  (state) => `${stateCounter(state)} AS ${state}`,
);
const stateCounts = statement(
  { active: integer, ...bySuppression(() => integer) },
  `SELECT ${counters.join(", ")} FROM account WHERE id = $1`,
);

export const subscribers = feature<
  Omit<Subscribers, "add" | "addWithData" | "remove" | "unsubscribe" | "reactivate">
>({
  byAddress: read(findRecord, { isSnapshot: true }),
  byId: read(findRecord, { isSnapshot: true }),
  data: read(findData, { isSnapshot: true }),
  history: historyPages,
  campaignResults: resultPages,
  find: read(findSubscriber),
  search: subscriberSearch(),
  found: foundMembers,
  countStates: read((db, { account }) => db.get(stateCounts, account)),
  correct: command(correctSubscriber),
  erase: command(eraseSubscriber),
});
