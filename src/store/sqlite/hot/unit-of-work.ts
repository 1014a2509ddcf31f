/**
 * The unit of work of one transaction: changes are saved as they are decided, counters once at the end. A
 * command that changes accounts, lists, fields or blocks flushes it first, so that neither that command nor a
 * later one reads stale data.
 */
import { type ImportId, keyOf } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import type { FieldId, FieldState, NewField } from "#domain/field/field.ts";
import {
  noBasics,
  type StoredBasics,
  type StoredValue,
  type StoredValues,
} from "#domain/field/value-rules.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import type { ImportProgress } from "#domain/import/job.ts";
import type { ImportState } from "#domain/import/rules.ts";
import type { ListId } from "#domain/list.ts";
import type { Command } from "#domain/ports/command.ts";
import { fingerprint, isNoOp, type Retention } from "#domain/refused-call.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { nameKey } from "#domain/text.ts";
import { sqliteDialect } from "../../cold/kit/dialect.ts";
import { integer, nullable, type RowOf, text } from "../../cold/kit/statement.ts";
import { BASICS, basicsRow } from "../../reads/rows.ts";
import { STEP } from "../../writes/step-limits.ts";
import type { AccountState, Lookup, UnitOfWork } from "../../writes/unit-of-work.ts";
import type { Connection } from "../connection.ts";
import { change, statement } from "../statement.ts";
import { Counters } from "./counters.ts";
import { findForImport } from "./import-states.ts";
import { Lookups } from "./lookups.ts";
import { saveChanges } from "./subscriber-changes.ts";

/** Custom fields, as callers add them. */
const COUNT_FIELDS = statement(
  { count: integer },
  "SELECT count(*) AS count FROM field WHERE account_id = ? AND is_deleting = 0",
);
const LIMIT = statement(
  { limit: nullable(integer) },
  'SELECT limit_fields AS "limit" FROM account WHERE id = ?',
);

const BY_NAME = statement(
  { one: integer },
  "SELECT 1 AS one FROM field WHERE account_id = ? AND name_key = ?",
);
const INSERT_FIELD = change(
  `INSERT INTO field (id, account_id, name, name_key, data_type, is_private, created_at)
   VALUES (${sqliteDialect.nextFieldId()}, ?, ?, ?, ?, ?, ?)`,
);

const fieldState = (db: Connection, account: AccountId, key: string): FieldState => ({
  exists: db.get(BY_NAME, account, key) !== undefined,
  count: db.get(COUNT_FIELDS, account)?.count ?? 0,
  limit: db.get(LIMIT, account)?.limit ?? null,
});

function insertField(
  db: Connection,
  account: AccountId,
  { name, type, isPrivate }: NewField,
  at: number,
): void {
  db.run(INSERT_FIELD, account, name, nameKey(name), type, isPrivate ? 1 : 0, at);
}

/** Refused calls: recorded in the transaction that refused them, repeats folded, the oldest dropped first. */
const COUNT_NO_OP = change(
  `INSERT INTO no_op (account_id, operation, outcome, count)
   VALUES (?, ?, ?, 1)
   ON CONFLICT (account_id, operation, outcome) DO UPDATE SET count = count + 1`,
);
const COUNT_REPEAT = change(
  `UPDATE refused SET count = count + 1, last_at = max(last_at, ?), key_id = ?
   WHERE account_id = ? AND fingerprint = ?`,
);
const size = { rows: integer, bytes: integer };
type Size = RowOf<typeof size>;
const INSERT_REFUSAL = statement(
  size,
  `INSERT INTO refused (
     account_id, operation, args, is_cut, outcome, key_id, fingerprint, first_at, last_at
   ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
   RETURNING 1 AS rows, octet_length(args) AS bytes`,
);
const COUNT_REFUSALS = change(
  `UPDATE account SET refused_rows = refused_rows + ?, refused_bytes = refused_bytes + ?
   WHERE id = ?`,
);
const KEPT = statement(size, "SELECT refused_rows AS rows, refused_bytes AS bytes FROM account WHERE id = ?");
const DROP_OLDEST = statement(
  { bytes: integer },
  `DELETE FROM refused
   WHERE id = (SELECT id FROM refused WHERE account_id = ? ORDER BY last_at, id LIMIT 1)
   RETURNING octet_length(args) AS bytes`,
);

function keepRefusal(
  db: Connection,
  { account, at, origin, recordedCall }: Command,
  outcome: string,
  retention: Retention,
): void {
  if (recordedCall === null) return;
  if (isNoOp(outcome)) {
    db.run(COUNT_NO_OP, account, recordedCall.operation, outcome);
    return;
  }
  const print = fingerprint(account, recordedCall, outcome);
  const key = keyOf(origin);
  const isRepeat = db.run(COUNT_REPEAT, at, key, account, print) > 0;
  if (isRepeat) return;
  const inserted = db.get(
    INSERT_REFUSAL,
    account,
    recordedCall.operation,
    recordedCall.args,
    recordedCall.isCut ? 1 : 0,
    outcome,
    key,
    print,
    at,
    at,
  );
  count(db, account, 1, inserted ?? { rows: 0, bytes: 0 });
  dropSurplus(db, account, retention);
}

const count = (db: Connection, account: AccountId, by: 1 | -1, { rows, bytes }: Size): number =>
  db.run(COUNT_REFUSALS, by * rows, by * bytes, account);

/** The oldest first. A batch is bounded for the case that the limits were lowered. */
function dropSurplus(db: Connection, account: AccountId, retention: Retention): void {
  const kept = db.get(KEPT, account);
  if (kept === undefined) return;
  let [rows, bytes] = [0, 0];
  while (rows < STEP && (kept.rows - rows > retention.rows || kept.bytes - bytes > retention.bytes)) {
    const dropped = db.get(DROP_OLDEST, account);
    if (dropped === undefined) break;
    rows += 1;
    bytes += dropped.bytes;
  }
  if (rows > 0) count(db, account, -1, { rows, bytes });
}

/**
 * The stored values of a subscriber, read lazily: a call sets few of the values that a subscriber may have.
 */
const OF_PERSON = statement(basicsRow, `SELECT ${BASICS} FROM subscriber WHERE id = ?`);
const VALUE = statement(
  { value: text, batch: nullable(integer) },
  "SELECT value, import_id AS batch FROM custom_value WHERE subscriber_id = ? AND field_id = ?",
);

class LazyValues implements StoredValues {
  readonly #db: Connection;
  readonly #person: SubscriberId;
  readonly values = { get: (field: FieldId): StoredValue | undefined => this.#value(field) };

  constructor(db: Connection, person: SubscriberId) {
    this.#db = db;
    this.#person = person;
  }

  get basics(): StoredBasics {
    return this.#db.get(OF_PERSON, this.#person) ?? noBasics;
  }

  #value(field: FieldId): StoredValue | undefined {
    return this.#db.get(VALUE, this.#person, field);
  }
}

const PROGRESS_VERSION = statement(
  { version: integer },
  "SELECT version FROM import_progress WHERE account_id = ? AND import_id = ?",
);
const SET_PROGRESS = change(
  `INSERT INTO import_progress (account_id, import_id, version, done_rows, state) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (account_id, import_id) DO UPDATE SET
     version = excluded.version, done_rows = excluded.done_rows, state = excluded.state`,
);
const UNDONE = statement(
  { one: integer },
  "SELECT 1 AS one FROM import_batch WHERE account_id = ? AND id = ? AND undo_started_at IS NOT NULL",
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
  isImportUndone(account: AccountId, batch: ImportId): boolean {
    return this.db.get(UNDONE, account, batch) !== undefined;
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
