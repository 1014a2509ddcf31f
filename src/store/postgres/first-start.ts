/** The first start: creates an account, a key and a list in an empty installation, all or none. */
import type { Writes } from "../../domain/ports.ts";
import { createAccount, createKey } from "./accounts.ts";
import { createList } from "./lists.ts";
import type { Connection } from "./sessions/connection.ts";
import { INSTALLATION_LOCK } from "./sessions/locks.ts";

export async function firstStart(
  db: Connection,
  { account: name, list, key }: Writes["firstStart"]["args"],
): Promise<Writes["firstStart"]["result"]> {
  await db.exec(INSTALLATION_LOCK);
  if ((await db.get("SELECT 1 AS one FROM account LIMIT 1")) !== undefined) return null;
  const account = await createAccount(db, { name, at: key.at });
  const created = await createKey(db, { ...key, account: account.id });
  if (created === null) throw new Error("an empty installation already contains the key");
  const { id } = await createList(db, { account: account.id, name: list, at: key.at });
  return { account: account.id, key: created.id, list: id };
}
