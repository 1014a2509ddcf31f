import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { contractSuite } from "./contract-suite.ts";

const server = await sharedPostgres();
const url = await server.newDatabase();

contractSuite("PostgreSQL", {
  randomRequests: 5,
  open: () => PostgresStore.open(url, { days: 90, rows: 1000, bytes: 2 ** 28 }),
});
