/** Test messages of a campaign: only that they are sent is stored, and to how many; not to whom. */
import type { Mailings } from "../../../domain/ports/sending/mailings.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { anyVersion, requireContentVersion } from "./content-version.ts";
import { findComposed } from "./mailing-row.ts";

const write = auditing<{ readonly recipients: number }>("campaign", ["recipients"]);

export async function recordTest(
  db: Db,
  { account, campaign, recipients, audit }: Parameters<Mailings["recordTest"]>[0],
): ReturnType<Mailings["recordTest"]> {
  const found = await findComposed(db, { account, campaign });
  requireContentVersion(audit, found);
  if (found === null) return null;
  await write(db, { account, audit: anyVersion(audit) }, campaign, null, { recipients });
  return { account, campaign };
}
