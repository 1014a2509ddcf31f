/**
 * The floor under durable adds on PostgreSQL: the rows of a group of adds, in one statement. Usage:
 * postgres-adds.ts URL SECONDS
 */
import pg from "pg";
import { addFor } from "./adds.ts";

const [url = "", seconds = ""] = process.argv.slice(2);
const client = new pg.Client({ connectionString: url });
await client.connect();

const text = `
  WITH person AS (
    INSERT INTO subscriber (account_id, address, address_key, known_since)
    SELECT 1, a, a, $2 FROM unnest($1::text[]) AS a RETURNING id
  ), joined AS (
    INSERT INTO membership (account_id, subscriber_id, list_id, joined_at) SELECT 1, id, 1, $2 FROM person
  ), happened AS (
    INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id)
    SELECT 1, id, $2, 'joined', 'key', 1 FROM person
  )
  UPDATE list SET member_count = member_count + $3 WHERE account_id = 1 AND id = 1`;

await addFor(Number(seconds), (addresses) =>
  client.query({ name: "add", text, values: [addresses, Date.now(), addresses.length] }),
);
await client.end();
