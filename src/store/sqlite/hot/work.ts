/**
 * The unit of work of one transaction: changes are saved as they are decided, counters once at the end. A
 * command that changes accounts, lists, fields or blocks flushes it first, so that neither that command nor a
 * later one reads stale data.
 */
import type { ImportId } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address/address.ts";
import type { FieldState, NewField } from "#domain/field/field.ts";
import type { StoredValues } from "#domain/field/value-rules.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import type { ImportProgress } from "#domain/import/progress.ts";
import type { ImportState } from "#domain/import/rules.ts";
import type { ListId } from "#domain/list.ts";
import type { Command } from "#domain/ports/command.ts";
import type { Retention } from "#domain/refusal.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { integer } from "../../cold/kit/statement.ts";
import type { AccountState, Lookup, UnitOfWork } from "../../writes/work.ts";
import type { Connection } from "../connection.ts";
import { change, statement } from "../statement.ts";
import { Counters } from "./counters.ts";
import { fieldState, insertField } from "./fields.ts";
import { findForImport } from "./import-states.ts";
import { Lookups } from "./lookups.ts";
import { keepRefusal } from "./refusals.ts";
import { LazyValues } from "./stored-values.ts";
import { saveChanges } from "./subscriber-changes.ts";

const PROGRESS_VERSION = statement(
  { version: integer },
  "SELECT version FROM import_progress WHERE account_id = ? AND import_id = ?",
);
const SET_PROGRESS = change(
  `INSERT INTO import_progress (account_id, import_id, version, done_rows, state) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (account_id, import_id) DO UPDATE SET
     version = excluded.version, done_rows = excluded.done_rows, state = excluded.state`,
);
const SET_COUNTS = change("UPDATE import_batch SET counts = ? WHERE account_id = ? AND id = ?");

export class SqliteUnitOfWork extends Lookups implements UnitOfWork<SubscriberId> {
  readonly #retention: Retention;
  readonly #counters = new Counters();

  constructor(db: Connection, retention: Retention) {
    super(db);
    this.#retention = retention;
  }

  override accountState(account: AccountId): AccountState {
    const { country, subscribers, subscriberLimit } = super.accountState(account);
    return { country, subscriberLimit, subscribers: subscribers + this.#counters.subscribersOf(account) };
  }
  idOf(person: SubscriberId): SubscriberId {
    return person;
  }
  stored(person: SubscriberId): StoredValues {
    return new LazyValues(this.db, person);
  }
  lookUpForImport(
    account: AccountId,
    address: Address,
    list: ListId | null,
  ): Lookup<SubscriberId> & ImportState {
    return findForImport(this, account, address, list);
  }
  fieldState(account: AccountId, key: string): FieldState {
    return fieldState(this.db, account, key);
  }

  save(account: AccountId, person: SubscriberId | null, changes: readonly SubscriberChange[]): void {
    saveChanges(this.db, this.#counters, account, person, changes);
  }
  saveImportCounts(account: AccountId, batch: ImportId, counts: ImportCounts): void {
    this.db.run(SET_COUNTS, JSON.stringify(counts), account, batch);
  }
  importVersion(account: AccountId, batch: ImportId): number {
    return this.db.get(PROGRESS_VERSION, account, batch)?.version ?? 0;
  }
  saveImportProgress(account: AccountId, batch: ImportId, progress: ImportProgress): void {
    const { version, rows, state } = progress;
    this.db.run(SET_PROGRESS, account, batch, version, rows, state);
  }
  addField(account: AccountId, field: NewField, at: number): void {
    this.flush();
    insertField(this.db, account, field, at);
  }
  keepRefusal(command: Command, outcome: string): void {
    keepRefusal(this.db, command, outcome, this.#retention);
  }

  /** Saves the counters and clears the cached reads. */
  flush(): void {
    this.#counters.save(this.db);
    this.forget();
  }
}
