/** Campaigns that are composed here. What the processes that send do with them is in `ledger/`. */
import type { Mailings } from "#domain/ports/sending/mailings.ts";
import { command, feature, read } from "../kit/feature.ts";
import { knownTo } from "../subscribers/filter.ts";
import { candidates, countAudience } from "./audience.ts";
import { createDraft, recordTest, setContent } from "./content.ts";
import { versionOfDraft, versionsOf } from "./draft-versions.ts";
import { ofSubscriber } from "./ledgers-of-subscriber.ts";
import { findComposed, mailingsOf } from "./mailing-row.ts";
import { mergeDataOf } from "./merge-data.ts";
import { atDailyLimit, atDomainLimit } from "./reached-limits.ts";
import { balanceOf, recipients, retriable } from "./recipients.ts";
import { retryingOf, retryRecipients } from "./retry.ts";
import { changeMailing } from "./state-changes.ts";

export const mailings = feature<Mailings>({
  create: command(createDraft),
  byId: read(findComposed, { isSnapshot: true }),
  ofCampaigns: read((db, { account, campaigns }) => mailingsOf(db, account, campaigns)),
  atDailyLimit: read(atDailyLimit),
  atDomainLimit: read(atDomainLimit),
  retrying: read(retryingOf),
  setContent: command(setContent),
  versions: read(versionsOf),
  version: read(versionOfDraft),
  change: command(changeMailing),
  retry: command(retryRecipients),
  balance: read(balanceOf, { takesLong: true, isSnapshot: true }),
  recordTest: command(recordTest),
  recipients,
  retriable,
  ofSubscriber,
  candidates,
  countAudience: read(countAudience, { isStepOfWalk: true }),
  knownToFilter: read((db, { account, filter }) => knownTo(db, account, filter)),
  person: read(
    async (db, { account, subscriber }) => (await mergeDataOf(db, account, [subscriber]))[0] ?? null,
    { isSnapshot: true },
  ),
});
