/**
 * The columns of a mailing and of the content of a campaign, and how a composed campaign is read from them.
 */

import type { AuditedBy } from "#domain/access/audit.ts";
import type { Campaign, CampaignId } from "#domain/campaign.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { ComposedCampaign, Mailing } from "#domain/sending/mailing.ts";
import { requireVersion } from "#domain/version.ts";
import { campaign, campaignContent, mailing } from "../../tables/entities.ts";
import type { Db } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import { byIdOf } from "../kit/of-account.ts";
import { type RowOf, selectList, statement } from "../kit/statement.ts";

const { takenUpTo: _takenUpTo, relayFailures: _relayFailures, ...row } = mailing.row;
export const mailingRow = row;
export const MAILING = selectList(row);

/** What is left of `selected` is queued. */
export function toMailing(found: RowOf<typeof mailingRow>): Mailing {
  const { sending, sent, deferred, failed, skipped, unknown, ...row } = found;
  const ended = sent + failed + skipped + unknown;
  const queued = row.selected - sending - deferred - ended;
  return { ...row, counts: { queued, sending, sent, deferred, failed, skipped, unknown } };
}

const campaignById = byIdOf(campaign, "NOT is_deleting");
const mailingBy = (lock: (dialect: Dialect) => string) =>
  statement(
    mailingRow,
    (dialect) =>
      `SELECT ${MAILING} FROM mailing AS m WHERE account_id = $1 AND campaign_id = $2 ${lock(dialect)}`,
  );
const contentById = statement(
  campaignContent.row,
  `SELECT ${campaignContent.columns} FROM campaign_content WHERE account_id = $1 AND campaign_id = $2`,
);

type Find = (db: Db, one: OfMailing) => Promise<Mailing | null>;
function reading(by: ReturnType<typeof mailingBy>): Find {
  return async (db, { account, campaign: id }) => {
    const found = await db.get(by, account, id);
    return found === null ? null : toMailing(found);
  };
}
export const findMailing = reading(mailingBy(() => ""));
/**
 * Until the transaction ends, nobody else changes it. Processes that send change the counters without a lock
 * on the account.
 */
export const lockMailing = reading(mailingBy(({ lockRows }) => lockRows("m")));

export const findContent = (db: Db, { account, campaign: id }: OfMailing) => db.get(contentById, account, id);

/** null: no such campaign, or it is being deleted, or it was recorded. */
const composedBy = async (db: Db, one: OfMailing, find: Find): Promise<ComposedCampaign | null> => {
  const mailing = await find(db, one);
  const found: Campaign | null =
    mailing === null ? null : await db.get(campaignById, one.account, one.campaign);
  const content = found === null ? null : await findContent(db, one);
  return mailing === null || found === null || content === null
    ? null
    : { campaign: found, content, mailing };
};
export const findComposed = (db: Db, one: OfMailing) => composedBy(db, one, findMailing);
/** With the mailing locked. */
export const composedToChange = (db: Db, one: OfMailing) => composedBy(db, one, lockMailing);

/**
 * The version of a composed campaign is that of its name and content. Who schedules or resumes a campaign may
 * expect one, too: what is sent is what they have seen.
 */
export function requireContentVersion(audit: AuditedBy | undefined, found: ComposedCampaign | null): void {
  const value = found === null ? null : { name: found.campaign.name, ...found.content };
  requireVersion(audit?.ifVersion, "campaign content", value);
}
/** For an entry of the audit log after the version was compared. */
export const anyVersion = (audit: AuditedBy | undefined): AuditedBy | undefined =>
  audit === undefined ? undefined : { ...audit, ifVersion: undefined };

const ofCampaigns = statement(
  mailingRow,
  ({ isIn }) => `
   SELECT ${MAILING}
   FROM mailing
   WHERE account_id = $1 AND ${isIn("campaign_id", "$2")}
   ORDER BY campaign_id`,
);
export const mailingsOf = async (db: Db, account: number, campaigns: readonly CampaignId[]) =>
  campaigns.length === 0 ? [] : (await db.all(ofCampaigns, account, campaigns)).map(toMailing);
