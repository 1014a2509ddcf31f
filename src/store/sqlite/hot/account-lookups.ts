/** What a transaction reads repeatedly of one account, cached. */
import type { AccountId } from "#domain/account.ts";
import { type DataType, dataTypes, type FieldId } from "#domain/field/field.ts";
import type { ListId } from "#domain/list.ts";
import { bytes, integer, nullable, oneOf, type RowOf, text } from "../../cold/kit/statement.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

const account = {
  country: nullable(text),
  subscribers: integer,
  subscriberLimit: nullable(integer),
  hasBlocks: integer,
  erasureKey: nullable(bytes),
};
type AccountRow = RowOf<typeof account>;
const ACCOUNT = statement(
  account,
  `SELECT
     country, active_subscribers AS subscribers, limit_subscribers AS subscriberLimit,
     EXISTS (SELECT 1 FROM block WHERE account_id = account.id) AS hasBlocks,
     erasure_key AS erasureKey
   FROM account
   WHERE id = ?`,
);
const LIST = statement(
  { since: integer },
  "SELECT created_at AS since FROM list WHERE id = ? AND account_id = ? AND is_deleting = 0",
);
const FIELD = statement(
  { type: oneOf(dataTypes) },
  "SELECT data_type AS type FROM field WHERE id = ? AND account_id = ? AND is_deleting = 0",
);

export class AccountLookups {
  readonly #db: Connection;
  readonly #id: AccountId;
  readonly row: AccountRow;
  readonly #lists = new Map<ListId, number | null>();
  readonly #fields = new Map<FieldId, DataType | undefined>();
  readonly fieldTypes = { get: (field: FieldId): DataType | undefined => this.#fieldType(field) };

  constructor(db: Connection, id: AccountId) {
    this.#db = db;
    this.#id = id;
    const row = db.get(ACCOUNT, id);
    if (row === undefined) throw new Error(`no account ${id}`);
    this.row = row;
  }

  /** When the list was created; null if the account has no such list, or it is being deleted. */
  listSince(list: ListId): number | null {
    let since = this.#lists.get(list);
    if (since === undefined) {
      since = this.#db.get(LIST, list, this.#id)?.since ?? null;
      this.#lists.set(list, since);
    }
    return since;
  }

  #fieldType(field: FieldId): DataType | undefined {
    if (this.#fields.has(field)) return this.#fields.get(field);
    const type = this.#db.get(FIELD, field, this.#id)?.type;
    this.#fields.set(field, type);
    return type;
  }
}
