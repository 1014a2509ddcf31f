/**
 * The work of one transaction: what its calls need again and again is read once, and what they count is saved once.
 * Whoever changes accounts, lists, fields or blocks settles it first, and so finds and leaves nothing that is out of date.
 */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import type { DataType, FieldId } from "../../domain/field.ts";
import type { ListId } from "../../domain/list.ts";
import type { Facts } from "../../domain/subscriber.ts";
import { blockedAt } from "./block-list.ts";
import type { Connection } from "./connection.ts";
import { Counters } from "./counters.ts";
import { erasedBy } from "./erasure.ts";

interface AccountRow {
  readonly country: string | null;
  readonly subscribers: number;
  readonly subscriberLimit: number | null;
  readonly hasBlocks: number;
  readonly erasureKey: Uint8Array | null;
}
export type AccountFacts = Omit<AccountRow, "hasBlocks" | "erasureKey">;

const ACCOUNT =
  "SELECT country, active_subscribers AS subscribers, limit_subscribers AS subscriberLimit, EXISTS (SELECT 1 FROM block WHERE account_id = account.id) AS hasBlocks, erasure_key AS erasureKey FROM account WHERE id = ?";

class AccountWork {
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

  listSince(list: ListId): number | null {
    let since = this.#lists.get(list);
    if (since === undefined) {
      const row = this.#db.get<{ since: number }>(
        "SELECT created_at AS since FROM list WHERE id = ? AND account_id = ?",
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

export class Work {
  readonly db: Connection;
  readonly counters = new Counters();
  readonly #accounts = new Map<AccountId, AccountWork>();

  constructor(db: Connection) {
    this.db = db;
  }

  accountFacts(account: AccountId): AccountFacts {
    const { country, subscribers, subscriberLimit } = this.#account(account).row;
    return { country, subscriberLimit, subscribers: subscribers + this.counters.subscribersOf(account) };
  }
  /** When the list was made, null where the account has no such list. */
  listSince(account: AccountId, list: ListId): number | null {
    return this.#account(account).listSince(list);
  }
  hasList(account: AccountId, list: ListId): boolean {
    return this.listSince(account, list) !== null;
  }
  /** The types of the account's fields. */
  fieldTypes(account: AccountId): { get(field: FieldId): DataType | undefined } {
    return this.#account(account).fieldTypes;
  }
  /** Since when a block covers the address. */
  blockedAt(account: AccountId, { key, domain }: Omit<Address, "text">): number | null {
    return this.#account(account).row.hasBlocks === 1 ? blockedAt(this.db, account, key, domain) : null;
  }
  /** What goes on holding of somebody who was erased; an account that never erased anybody has nothing to look up. */
  erased(account: AccountId, address: Pick<Address, "key">): Facts | null {
    const { erasureKey } = this.#account(account).row;
    return erasureKey === null ? null : erasedBy(this.db, account, erasureKey, address);
  }

  /** Saves what was counted, and forgets what was read. */
  settle(): void {
    this.counters.save(this.db);
    this.#accounts.clear();
  }

  #account(id: AccountId): AccountWork {
    let account = this.#accounts.get(id);
    if (account === undefined) {
      account = new AccountWork(this.db, id);
      this.#accounts.set(id, account);
    }
    return account;
  }
}
