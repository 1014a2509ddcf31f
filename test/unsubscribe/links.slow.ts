/** Unsubscribe links on PostgreSQL; on SQLite in links.test.ts. */
import { sharedPostgres } from "../shared-postgres.ts";
import { oneClickSuite } from "./one-click-suite.ts";
import { undoSuite } from "./undo-suite.ts";

const postgres = await sharedPostgres();
void oneClickSuite("PostgreSQL", { database: await postgres.newDatabase() });
void undoSuite("PostgreSQL", { database: await postgres.newDatabase() });
