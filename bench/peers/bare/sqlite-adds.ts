/**
 * The floor under durable adds on SQLite: the rows of an add, in groups, without anybody who asks. Usage:
 * sqlite-adds.ts FILE SECONDS
 */
import { DatabaseSync } from "node:sqlite";
import { addFor } from "./adds.ts";

const [file = "", seconds = ""] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec(
  "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY",
);
const person = db.prepare(
  "INSERT INTO subscriber (account_id, address, address_key, known_since) VALUES (1, ?, ?, ?)",
);
const join = db.prepare(
  "INSERT INTO membership (account_id, list_id, subscriber_id, joined_at) VALUES (1, 1, ?, ?)",
);
const count = db.prepare("UPDATE list SET member_count = member_count + 1 WHERE id = 1");
const happened = db.prepare(
  "INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id) VALUES (1, ?, ?, 'joined', 'key', 1)",
);

await addFor(Number(seconds), (addresses) => {
  const now = Date.now();
  db.exec("BEGIN IMMEDIATE");
  for (const address of addresses) {
    const { lastInsertRowid: id } = person.run(address, address, now);
    join.run(id, now);
    count.run();
    happened.run(id, now);
  }
  db.exec("COMMIT");
});
db.close();
