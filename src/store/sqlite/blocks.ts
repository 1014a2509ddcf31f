/** Creates and removes blocks, and applies them to the subscribers they cover. */
import type { AccountId } from "../../domain/account.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import { decideBlock } from "../../domain/subscriber-rules.ts";
import type { Args, Result } from "../methods.ts";
import { KNOWN, type KnownRow, toKnown } from "../rows.ts";
import { STEP } from "../step.ts";
import type { Connection } from "./connection.ts";
import { removeErasedBlock } from "./erasure.ts";
import type { SqliteUnitOfWork } from "./hot/work.ts";

export const block = (db: Connection, { account, pattern, at }: Args<"blocks.add">): boolean =>
  db.run(
    "INSERT INTO block (account_id, pattern, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    account,
    pattern,
    at,
  ) > 0;

export function unblock(db: Connection, { account, pattern }: Args<"blocks.remove">): boolean {
  const wasListed = db.run("DELETE FROM block WHERE account_id = ? AND pattern = ?", account, pattern) > 0;
  return removeErasedBlock(db, account, pattern) || wasListed;
}

/** A subscriber covered by another block stays blocked when this one is removed. */
export function applyBlock(work: SqliteUnitOfWork, command: Args<"blocks.apply">): Result<"blocks.apply"> {
  const { account, pattern, after } = command;
  const { db } = work;
  const people = covered(db, account, pattern, after);
  for (const person of people) {
    const domain = person.key.slice(person.key.lastIndexOf("@") + 1);
    const isBlocked =
      work.blockedAt(account, { key: person.key, domain }) !== null ||
      (work.erased(account, person)?.blocked ?? null) !== null;
    work.save(account, person.id, decideBlock(toKnown(person), isBlocked, pattern, command));
  }
  return people.length < STEP ? null : (people.at(-1)?.id ?? null);
}

interface CoveredRow extends KnownRow {
  readonly id: SubscriberId;
  readonly key: string;
}
/** There is no index by domain: blocking a domain is rare, and adds are not. */
function covered(
  db: Connection,
  account: AccountId,
  pattern: string,
  after: SubscriberId,
): readonly CoveredRow[] {
  const matches = pattern.startsWith("@") ? "substr(address_key, -length(?2)) = ?2" : "address_key = ?2";
  return db.all(
    `SELECT id, address_key AS key, ${KNOWN} FROM subscriber WHERE account_id = ?1 AND ${matches} AND id > ?3 ORDER BY id LIMIT ${STEP}`,
    account,
    pattern,
    after,
  );
}
