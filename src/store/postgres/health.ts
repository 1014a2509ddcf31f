/**
 * Health checks of a PostgreSQL database: whether it accepts writes, its size, and damage that the server has
 * noticed in its files.
 */
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { boolean, integer, nullable, text } from "../cold/kit/statement.ts";
import { refuseWritesToNewer } from "../migrations.ts";
import { appliedTo } from "./migrate.ts";
import type { Connection } from "./sessions/connection.ts";
import type { Done } from "./sessions/transactions.ts";
import { change, statement } from "./statement.ts";

export interface WriteProbe {
  readonly kind: "health.probeWrite";
  readonly args: object;
}

/**
 * Even the weakest row lock is written into the row, so it counts as a write. It leaves no dead row and
 * blocks no call. Any unlocked row will do: this node must not wait for another account's work.
 */
const lock = (mode: string) =>
  statement({ one: integer }, `SELECT 1 AS one FROM account ORDER BY id LIMIT 1 FOR KEY SHARE ${mode}`);
const LOCK = lock("");
const LOCK_FREE = lock("SKIP LOCKED");
/**
 * The tables that an add reads and changes. The server checks locks and rights for them, and no row matches.
 */
const READ = statement(
  { one: integer },
  `SELECT 1 AS one
   FROM account, list, field, subscriber, membership, block, erased
   WHERE false`,
);
const CHANGED = [
  "UPDATE account SET active_subscribers = active_subscribers WHERE false",
  "UPDATE list SET member_count = member_count WHERE false",
  `INSERT INTO subscriber (account_id, id, address, address_key, known_since)
   SELECT 0, 0, '', '', 0 WHERE false`,
  "UPDATE subscriber SET first_name = first_name WHERE false",
  `INSERT INTO membership (account_id, subscriber_id, list_id, joined_at)
   SELECT 0, 0, 0, 0 WHERE false`,
  `INSERT INTO custom_value (account_id, subscriber_id, field_id, value, given_at)
   SELECT 0, 0, 0, '', 0 WHERE false`,
  `INSERT INTO history (account_id, subscriber_id, at, kind, origin)
   SELECT 0, 0, 0, '', '' WHERE false`,
  `INSERT INTO refused (account_id, operation, args, is_cut, outcome, fingerprint, first_at, last_at)
   SELECT 0, '', '', false, '', '', 0, 0 WHERE false`,
].map(change);
/** Checks the right only: a sequence value that is taken cannot be returned. */
const MAY_TAKE_IDS = statement(
  { may: boolean },
  "SELECT has_sequence_privilege('subscriber_id', 'USAGE, UPDATE') AS may",
);

/** A transaction that fails where an add would fail, and changes nothing. */
export async function probeWrite(db: Connection, schemaVersion: number): Promise<Done<null>> {
  const [free, ids, applied] = await Promise.all([
    db.get(LOCK_FREE),
    db.get(MAY_TAKE_IDS),
    appliedTo(db),
    db.run(READ),
  ]);
  refuseWritesToNewer(applied, schemaVersion);
  if (ids?.may !== true) throw new StoreUnavailable("permission denied for sequence subscriber_id");
  // Every row is locked, or there is none.
  if (free === undefined) await db.get(LOCK);
  return { result: null, saves: CHANGED.map((sql) => ({ sql, values: [] })) };
}

const BYTES = statement({ bytes: integer }, "SELECT pg_database_size(current_database()) AS bytes");
export const databaseBytes = async (db: Connection): Promise<number> => (await db.get(BYTES))?.bytes ?? 0;

const CLOCK = statement(
  { now: integer },
  "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now",
);
export const clock = async (db: Connection): Promise<number | null> => (await db.get(CLOCK))?.now ?? null;

const INVALID_INDEXES = statement(
  { name: text },
  `SELECT indexrelid::regclass::text AS name
   FROM pg_index
   WHERE NOT (indisvalid AND indisready)`,
);
const DAMAGED_PAGES = statement(
  { failures: nullable(integer) },
  `SELECT checksum_failures AS failures
   FROM pg_stat_database
   WHERE datname = current_database() AND checksum_failures > 0`,
);

/**
 * Checking every page is left to the server (`pg_amcheck`, data checksums). This reports what the server has
 * noticed.
 */
export async function integrity(db: Connection): Promise<readonly string[]> {
  const indexes = await db.all(INVALID_INDEXES);
  const damage = await db.all(DAMAGED_PAGES);
  return [
    ...indexes.map(({ name }) => `the index ${name} is not valid`),
    ...damage.map(({ failures }) => `${failures} pages failed their checksum`),
  ];
}
