/** The secret of the installation. */
import { newInstallationSecret } from "#domain/access/key.ts";
import type { Secrets } from "#domain/ports/access/secrets.ts";
import type { Requests } from "#domain/ports/idempotency.ts";
import { command, feature, read } from "./kit/feature.ts";
import { bytes, integer, statement } from "./kit/statement.ts";

/** Never replaced: if two nodes are first, the second one gets the secret of the first. */
const requireSecret = statement(
  { secret: bytes },
  `INSERT INTO installation_secret (name, secret)
   VALUES ('installation', $1)
   ON CONFLICT (name) DO UPDATE SET secret = installation_secret.secret
   RETURNING secret`,
);

export const secrets = feature<Secrets>({
  ofInstallation: command(async (db) => (await db.one(requireSecret, newInstallationSecret())).secret),
});

/** Whether a request with an idempotency key was executed. Its results are in `idempotency.ts`. */
const find = statement(
  { owner: integer },
  "SELECT owner_id AS owner FROM idempotency_key WHERE owner_id = $1 AND hash = $2 AND fingerprint = $3",
);

export const requests = feature<Requests>({
  wasExecuted: read(
    async (db, { owner, hash, fingerprint }) => (await db.get(find, owner, hash, fingerprint)) !== null,
  ),
});
