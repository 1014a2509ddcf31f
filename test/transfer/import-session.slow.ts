import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { sessionSuite } from "./import-session-suite.ts";

const url = await (await sharedPostgres()).newDatabase();

sessionSuite("PostgreSQL", () => PostgresStore.open(url, { days: 90, rows: 1000, bytes: 2 ** 28 }));
