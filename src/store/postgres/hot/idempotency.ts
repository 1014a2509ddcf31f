/**
 * Results of writes with an idempotency key, for a group: one statement locks all keys, one reads the stored
 * results, one saves the new ones. A group without keys sends none of them.
 */
import type { Idempotency } from "#domain/idempotency.ts";
import { bytes, integer, text } from "../../cold/kit/statement.ts";
import {
  ERASED_FINGERPRINT,
  type Kept,
  type ResultSubject,
  readResult,
  serializeResult,
  storedResult,
} from "../../writes/idempotency.ts";
import type { Connection, Statement } from "../sessions/connection.ts";
import { change, statement } from "../statement.ts";
import { RowArrays } from "./row-arrays.ts";

const key = new RowArrays<Idempotency>({
  owner_id: ["bigint", ({ owner }) => owner],
  hash: ["bytea", ({ hash }) => hash],
  fingerprint: ["bytea", ({ fingerprint }) => fingerprint],
  at: ["bigint", ({ at }) => at],
});
/** In one order, so that no two groups wait for each other. Locks each row, new or not. */
const RESERVE = statement(
  { owner: integer, hash: text, fingerprint: bytes },
  `INSERT INTO idempotency_key (${key.names})
   SELECT * FROM ${key.table} ORDER BY owner_id, hash
   ON CONFLICT (owner_id, hash) DO UPDATE SET at = idempotency_key.at
   RETURNING owner_id AS owner, encode(hash, 'hex') AS hash, fingerprint`,
);
const FIND = statement(
  { owner: integer, hash: text, ordinal: integer, result: bytes },
  `SELECT owner_id AS owner, encode(hash, 'hex') AS hash, ordinal, result
   FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS n (owner_id, hash, ordinal)
   JOIN idempotency_result AS r USING (owner_id, hash, ordinal)`,
);

interface NewResult extends ResultSubject {
  readonly key: Idempotency;
  readonly result: Buffer;
}
const result = new RowArrays<NewResult>({
  owner_id: ["bigint", ({ key: { owner } }) => owner],
  hash: ["bytea", ({ key: { hash } }) => hash],
  ordinal: ["bigint", ({ key: { ordinal } }) => ordinal],
  account_id: ["bigint", ({ account }) => account],
  address_key: ["text", ({ address }) => address],
  result: ["bytea", ({ result: stored }) => stored],
});
const INSERT = change(`INSERT INTO idempotency_result (${result.names}) SELECT * FROM ${result.table}`);

const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");
const requestOf = (owner: number, hash: string): string => `${owner} ${hash}`;
const writeOf = ({ owner, hash, ordinal }: Idempotency): string =>
  `${requestOf(owner, hex(hash))} ${ordinal}`;

export class GroupResults {
  /** The fingerprint of each request. */
  readonly #reserved = new Map<string, Uint8Array>();
  /** Stored, or of this group. */
  readonly #results = new Map<string, Uint8Array>();
  readonly #new: NewResult[] = [];

  /** To be called before the group takes any other lock. Sends everything at once. */
  async load(db: Connection, keys: readonly Idempotency[]): Promise<void> {
    // A repeat may be in the same group. One statement can insert a row only once.
    const requests = new Map<string, Idempotency>();
    for (const one of keys) {
      const request = requestOf(one.owner, hex(one.hash));
      if (!requests.has(request)) requests.set(request, one);
    }
    const [reserve] = key.to(RESERVE, [...requests.values()]);
    const [reserved, found] = await Promise.all([
      db.all(RESERVE, ...(reserve?.values ?? [])),
      db.all(
        FIND,
        keys.map(({ owner }) => owner),
        keys.map(({ hash }) => hash),
        keys.map(({ ordinal }) => ordinal),
      ),
    ]);
    for (const { owner, hash, fingerprint } of reserved)
      this.#reserved.set(requestOf(owner, hash), fingerprint);
    for (const { owner, hash, ordinal, result: stored } of found)
      this.#results.set(`${requestOf(owner, hash)} ${ordinal}`, stored);
  }

  /** Decides a write, unless its result is stored. */
  once(one: Idempotency, subject: ResultSubject, decide: () => unknown): Kept {
    const reserved = this.#reserved.get(requestOf(one.owner, hex(one.hash))) ?? ERASED_FINGERPRINT;
    const write = writeOf(one);
    const stored = storedResult(reserved, one.fingerprint, this.#results.get(write));
    if (stored !== null) return { value: readResult(subject.kind, stored), isRepeat: true };
    const value = decide();
    const made = serializeResult(subject.kind, value);
    this.#results.set(write, made);
    this.#new.push({ ...subject, key: one, result: made });
    return { value, isRepeat: false };
  }

  /** The statements that save the new results; none without keys. */
  get saves(): readonly Statement[] {
    return result.to(INSERT, this.#new);
  }
}
