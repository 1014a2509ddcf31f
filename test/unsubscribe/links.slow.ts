/** Unsubscribe links on PostgreSQL; on SQLite in links.test.ts. */
import { sharedPostgres } from "../shared-postgres.ts";
import { oneClickSuite } from "./one-click-suite.ts";
import { undoSuite } from "./undo-suite.ts";

const postgres = await sharedPostgres();
oneClickSuite("PostgreSQL", { database: await postgres.newDatabase() });
undoSuite("PostgreSQL", { database: await postgres.newDatabase() });
