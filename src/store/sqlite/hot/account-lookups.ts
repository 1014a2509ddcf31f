/** What a transaction reads repeatedly of one account, cached. */
import type { AccountId } from "../../../domain/account.ts";
import type { DataType, FieldId } from "../../../domain/field.ts";
import type { ListId } from "../../../domain/list.ts";
import type { AccountState } from "../../work.ts";
import type { Connection } from "../connection.ts";

interface AccountRow extends AccountState {
  readonly hasBlocks: number;
  readonly erasureKey: Uint8Array | null;
}

const ACCOUNT =
  "SELECT country, active_subscribers AS subscribers, limit_subscribers AS subscriberLimit, EXISTS (SELECT 1 FROM block WHERE account_id = account.id) AS hasBlocks, erasure_key AS erasureKey FROM account WHERE id = ?";

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
    const row = db.get<AccountRow>(ACCOUNT, id);
    if (row === undefined) throw new Error(`no account ${id}`);
    this.row = row;
  }

  /** When the list was created; null if the account has no such list, or it is being deleted. */
  listSince(list: ListId): number | null {
    let since = this.#lists.get(list);
    if (since === undefined) {
      const row = this.#db.get<{ since: number }>(
        "SELECT created_at AS since FROM list WHERE id = ? AND account_id = ? AND is_deleting = 0",
        list,
        this.#id,
      );
      since = row?.since ?? null;
      this.#lists.set(list, since);
    }
    return since;
  }

  #fieldType(field: FieldId): DataType | undefined {
    if (this.#fields.has(field)) return this.#fields.get(field);
    const type = this.#db.get<{ type: DataType }>(
      "SELECT data_type AS type FROM field WHERE id = ? AND account_id = ?",
      field,
      this.#id,
    )?.type;
    this.#fields.set(field, type);
    return type;
  }
}
