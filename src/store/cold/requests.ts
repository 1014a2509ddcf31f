/** Whether a request with an idempotency key was executed. Its results are in `idempotency.ts`. */
import type { Requests } from "#domain/ports/work/requests.ts";
import { feature, read } from "./kit/feature.ts";
import { integer, statement } from "./kit/statement.ts";

const find = statement(
  { owner: integer },
  "SELECT owner_id AS owner FROM idempotency_key WHERE owner_id = $1 AND hash = $2 AND fingerprint = $3",
);

export const requests = feature<Requests>({
  wasExecuted: read(
    async (db, { owner, hash, fingerprint }) => (await db.get(find, owner, hash, fingerprint)) !== null,
  ),
});
