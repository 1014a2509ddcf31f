/** The first start: creates an account, a key and a list in an empty installation, all or none. */
import type { Writes } from "../../domain/ports.ts";
import { createAccount, createKey } from "./accounts.ts";
import type { Connection } from "./connection.ts";
import { createList } from "./lists.ts";

export function firstStart(
  db: Connection,
  { account: name, list, key }: Writes["firstStart"]["args"],
): Writes["firstStart"]["result"] {
  if (db.get("SELECT 1 FROM account LIMIT 1") !== undefined) return null;
  const account = createAccount(db, { name, at: key.at });
  const created = createKey(db, { ...key, account: account.id });
  if (created === null) throw new Error("an empty installation already contains the key");
  return {
    account: account.id,
    key: created.id,
    list: createList(db, { account: account.id, name: list, at: key.at }).id,
  };
}
