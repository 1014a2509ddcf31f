/** Corrects a subscriber for an operator. The account is locked, so the new address stays free. */
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import type { FieldId } from "#domain/field/field.ts";
import type { CorrectSubscriber, OtherSubscriber } from "#domain/ports/subscribers.ts";
import {
  type CorrectedPerson,
  type CorrectionOutcome,
  decideCorrection,
} from "#domain/subscriber/correction.ts";
import { erasureHash } from "#domain/subscriber/erasure.ts";
import type { AddressState } from "#domain/subscriber/rules.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import {
  BASICS,
  basicsRow,
  KNOWN,
  knownRow,
  SUPPRESSIONS,
  suppressionRow,
  toData,
  toKnown,
} from "../../reads/rows.ts";
import { moveResults } from "../idempotency.ts";
import { restartAfter } from "../jobs/block-application.ts";
import type { Db } from "../kit/db.ts";
import { bigint, change, integer, nullable, statement, text } from "../kit/statement.ts";
import { erasureKeyOf } from "./erased-blocks.ts";
import { requirePersonVersion } from "./person-version.ts";

const person = statement(
  { id: integer, address: text, ...basicsRow, ...knownRow },
  `SELECT id, address, ${BASICS}, ${KNOWN} FROM subscriber WHERE account_id = $1 AND address_key = $2`,
);
const block = statement(
  { at: nullable(integer) },
  "SELECT min(created_at) AS at FROM block WHERE account_id = $1 AND pattern IN ($2, $3)",
);
const erased = statement(
  suppressionRow,
  `SELECT ${SUPPRESSIONS} FROM erased WHERE account_id = $1 AND hash = $2`,
);
const forgetErased = change("DELETE FROM erased WHERE account_id = $1 AND hash = $2");
const fields = statement(
  { id: bigint },
  ({ isIn }) => `SELECT id FROM field WHERE account_id = $1 AND NOT is_deleting AND ${isIn("id", "$2")}`,
);
const values = statement(
  { field: bigint, value: text, batch: nullable(integer) },
  ({ isIn }) => `
   SELECT field_id AS field, value, import_id AS batch
   FROM custom_value
   WHERE account_id = $1 AND subscriber_id = $2 AND ${isIn("field_id", "$3")}`,
);
const update = change(
  `UPDATE subscriber SET
     address = $3, address_key = $4,
     first_name = $5, last_name = $6, gender = $7, birthday = $8, country = $9, imported = $10
   WHERE account_id = $1 AND id = $2`,
);
/** Campaign events contain copies of the names and of the address. */
const updateEvents = change(
  `UPDATE campaign_event SET address = $3, first_name = $4, last_name = $5
   WHERE account_id = $1 AND subscriber_id = $2`,
);
const clear = change(
  ({ isIn }) =>
    `DELETE FROM custom_value WHERE account_id = $1 AND subscriber_id = $2 AND ${isIn("field_id", "$3")}`,
);

export async function correctSubscriber(
  db: Db,
  command: CorrectSubscriber & { readonly subscriber?: SubscriberId },
): Promise<CorrectionOutcome | OtherSubscriber> {
  const { account, address, correction, at, origin, ifVersion, subscriber } = command;
  const found = await db.get(person, account, address.key);
  if (subscriber !== undefined && found?.id !== subscriber) return "OtherSubscriber";
  if (found === null) return { outcome: "UnknownSubscriber" };
  await requirePersonVersion(db, account, found.id, ifVersion);
  const named = correction.values.map(({ field }) => field);
  if ((await db.all(fields, account, named)).length < named.length) return { outcome: "UnknownField" };
  const moved =
    correction.address === null || correction.address.key === address.key ? null : correction.address;
  const { result, ...decided } = decideCorrection(
    correction,
    {
      known: toKnown(found),
      address: found.address,
      blockedAt: await blockedAt(db, account, address),
      stored: {
        basics: { ...toData(found), imported: found.imported },
        values: await valuesOf(db, account, found.id, named),
      },
      atNewAddress: moved === null ? null : await stateAt(db, account, moved),
    },
    { at, origin },
  );
  if (decided.person === null) return result;
  const { text, key } = correction.address ?? { text: found.address, key: address.key };
  await savePerson(db, account, found.id, { text, key }, decided.person);
  await db.saveChanges(account, [{ subscriber: found.id, changes: decided.changes }]);
  if (moved !== null) await leaveAddress(db, account, address, found.id, moved);
  return result;
}

/**
 * The subscriber who leaves the old address is active, so an erasure record of that address is out of date
 * and is deleted.
 */
async function leaveAddress(
  db: Db,
  account: AccountId,
  old: Address,
  subscriber: SubscriberId,
  moved: Address,
): Promise<void> {
  const key = await erasureKeyOf(db, account);
  if (key !== null) await db.run(forgetErased, account, erasureHash(key, old));
  await restartAfter(db, account, subscriber);
  await moveResults(db, account, old.key, moved.key);
}

const blockedAt = async (db: Db, account: AccountId, { key, domain }: Address): Promise<number | null> =>
  (await db.get(block, account, key, `@${domain}`))?.at ?? null;

async function stateAt(db: Db, account: AccountId, address: Address): Promise<AddressState> {
  const other = await db.get(person, account, address.key);
  const key = await erasureKeyOf(db, account);
  return {
    known: other === null ? null : toKnown(other),
    blockedAt: await blockedAt(db, account, address),
    erased: key === null ? null : await db.get(erased, account, erasureHash(key, address)),
  };
}

async function valuesOf(db: Db, account: AccountId, subscriber: SubscriberId, named: readonly FieldId[]) {
  const rows = await db.all(values, account, subscriber, named);
  return new Map(rows.map(({ field, value, batch }) => [field, { value, batch }]));
}

async function savePerson(
  db: Db,
  account: AccountId,
  subscriber: SubscriberId,
  { text, key }: Pick<Address, "text" | "key">,
  { basics, cleared }: CorrectedPerson,
): Promise<void> {
  const { firstName, lastName, gender, birthday, country, imported } = basics;
  const data = [firstName, lastName, gender, birthday, country, imported] as const;
  await db.run(update, account, subscriber, text, key, ...data);
  await db.run(updateEvents, account, subscriber, text, firstName, lastName);
  if (cleared.length > 0) await db.run(clear, account, subscriber, cleared);
}
