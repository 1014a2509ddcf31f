/** Records that test messages of a campaign are about to be sent. Their addresses are not stored. */
import type { Mailings } from "../../../domain/ports/sending/mailings.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { findMailing } from "./mailing-row.ts";

const audited = auditing<{ readonly testMessages: number | null }>("campaign", ["testMessages"]);

export async function recordTest(
  db: Db,
  { account, campaign, recipients, audit }: Parameters<Mailings["recordTest"]>[0],
): ReturnType<Mailings["recordTest"]> {
  if ((await findMailing(db, { account, campaign })) === null) return null;
  await audited(db, { account, audit }, campaign, { testMessages: null }, { testMessages: recipients });
  return { account, campaign };
}
