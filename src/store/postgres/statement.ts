/** How statements for PostgreSQL are declared. */
import { postgresDialect } from "../cold/kit/dialect.ts";
import { tunedFor } from "../tuned-statement.ts";

export const { family, statement, change } = tunedFor(postgresDialect);
