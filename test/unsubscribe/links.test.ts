/** Unsubscribe links on SQLite; on PostgreSQL in links.slow.ts. */
import { oneClickSuite } from "./one-click-suite.ts";
import { undoSuite } from "./undo-suite.ts";

void oneClickSuite("SQLite", {});
void undoSuite("SQLite", {});
