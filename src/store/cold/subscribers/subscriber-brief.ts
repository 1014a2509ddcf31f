/** Which address has which id, and what an operator asks first: two indexed lookups. */
import type { Address } from "#domain/address/address.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { SubscriberBrief } from "#domain/ports/subscribers.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { SUPPRESSIONS, suppressionRow, toSuppressions } from "../../reads/rows.ts";
import { toStatus } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import { integer, statement, text } from "../kit/statement.ts";

const person = { id: integer, address: text, key: text, ...suppressionRow };
const PERSON = `
  SELECT id, address, address_key AS key, ${SUPPRESSIONS} FROM subscriber WHERE account_id = $1`;
const byAddress = statement(person, `${PERSON} AND address_key = $2`);
const byId = statement(person, `${PERSON} AND id = $2`);
const memberships = statement(
  { list: integer, status: integer },
  `SELECT list_id AS list, status FROM membership
   WHERE account_id = $1 AND subscriber_id = $2
   ORDER BY list_id`,
);

export async function findSubscriber(
  db: Db,
  { account, ...named }: OfAccount & ({ readonly id: SubscriberId } | { readonly address: Address }),
): Promise<SubscriberBrief | null> {
  const found =
    "id" in named
      ? await db.get(byId, account, named.id)
      : await db.get(byAddress, account, named.address.key);
  if (found === null) return null;
  const { id, address: text, key } = found;
  const lists = await db.all(memberships, account, id);
  return {
    id,
    address: { text, key, domain: key.slice(key.lastIndexOf("@") + 1) },
    suppressions: toSuppressions(found),
    pending: lists.filter(({ status }) => toStatus(status) === "pending").map(({ list }) => list),
  };
}
