import { PostgresStore } from "../../../src/store/postgres/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { sendingSuite } from "./suite.ts";

const postgres = await sharedPostgres();

sendingSuite("PostgreSQL", async () =>
  PostgresStore.open(await postgres.newDatabase(), { days: 90, rows: 5, bytes: 2 ** 28 }),
);
