/** The secret of the installation. */
import { newInstallationSecret } from "#domain/access/installation-secret.ts";
import type { Secrets } from "#domain/ports/access/secrets.ts";
import { command, feature } from "./kit/feature.ts";
import { bytes, statement } from "./kit/statement.ts";

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
