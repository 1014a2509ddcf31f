/** Putting up and lifting blocks, with what that does to the people they cover. */
import type { AccountId } from "../../domain/account.ts";
import type { Writes } from "../../domain/ports.ts";
import { decideBlock } from "../../domain/subscriber-rules.ts";
import { blockedAt } from "./block-list.ts";
import type { Connection } from "./connection.ts";
import { FACTS, type FactRow, toKnown } from "./facts.ts";
import { saveChanges } from "./subscriber-changes.ts";

export function block(db: Connection, command: Writes["block"]["args"]): boolean {
  const { account, pattern, at } = command;
  const isNew =
    db.run(
      "INSERT INTO block (account_id, pattern, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      account,
      pattern,
      at,
    ) > 0;
  if (isNew)
    for (const row of covered(db, account, pattern))
      saveChanges(db, account, row.id, decideBlock(toKnown(row), true, pattern, command));
  return isNew;
}

/** Lifting one block leaves those blocked whom another one covers too. */
export function unblock(db: Connection, command: Writes["unblock"]["args"]): boolean {
  const { account, pattern } = command;
  if (db.run("DELETE FROM block WHERE account_id = ? AND pattern = ?", account, pattern) === 0) return false;
  for (const row of covered(db, account, pattern)) {
    const domain = row.key.slice(row.key.lastIndexOf("@") + 1);
    if (blockedAt(db, account, row.key, domain) === null)
      saveChanges(db, account, row.id, decideBlock(toKnown(row), false, pattern, command));
  }
  return true;
}

interface CoveredRow extends FactRow {
  readonly key: string;
}
/** Blocking a domain is rare and adding is not, so there is no index by domain. */
function covered(db: Connection, account: AccountId, pattern: string): readonly CoveredRow[] {
  const columns = `id, address_key AS key, known_since AS since, ${FACTS}`;
  return pattern.startsWith("@")
    ? db.all(
        `SELECT ${columns} FROM subscriber WHERE account_id = ? AND substr(address_key, -length(?)) = ?`,
        account,
        pattern,
        pattern,
      )
    : db.all(`SELECT ${columns} FROM subscriber WHERE account_id = ? AND address_key = ?`, account, pattern);
}
