/** How statements for SQLite are declared. */
import { sqliteDialect } from "../cold/kit/dialect.ts";
import { tunedFor } from "../tuned-statement.ts";

export const { family, statement, change } = tunedFor(sqliteDialect);
