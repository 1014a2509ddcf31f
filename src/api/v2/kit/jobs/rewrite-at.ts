/** In replies of requests that delete personal data. */
import { Nullable, Time } from "../schemas.ts";

export const RewriteAt = Nullable(
  Time(
    "When the job `rewrite-database` removes what is left of the deleted data in the files of the database: at 03:00 of the server. On SQLite it rewrites the file. On PostgreSQL it frees the space (VACUUM), and the bytes stay until the space is used again.",
  ),
);
