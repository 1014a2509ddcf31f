import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { query } from "../store/postgres-account.ts";
import { importsSuite } from "./imports-suite.ts";

const url = await (await sharedPostgres()).newDatabase();

importsSuite(
  "the PostgreSQL store",
  () => PostgresStore.open(url, { days: 90, rows: 1000, bytes: 2 ** 28 }),
  async (text) =>
    (await query(url, `SELECT 1 FROM upload_part WHERE position('${text}'::bytea IN content) > 0`)).length >
    0,
);
