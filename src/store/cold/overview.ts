/**
 * An account at a glance. Every statement visits a bounded number of rows, by an existing index: what has no
 * index of its own, such as the size of a list, is looked for among the newest rows.
 */

import type { Campaign, CampaignEvent } from "#domain/campaign.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import {
  type AccountGlance,
  type DayRange,
  MAX_COUNTED,
  MAX_KEYS,
  MAX_SHOWN,
  quirkKinds,
} from "#domain/statistics.ts";
import { campaign, job, list } from "../tables/entities.ts";
import { countEvents } from "./campaign-events.ts";
import { toJob } from "./jobs/job-row.ts";
import type { Db } from "./kit/db.ts";
import { boolean, integer, oneOf, statement, text } from "./kit/statement.ts";

/** The API keys whose programs get faults or refusals, or show a quirk; among the newest keys. */
const name = { key: integer, label: text, hint: text };
/** The newest keys of the account `$1`, at most `$2`. */
const NEWEST =
  "(SELECT id, label, hint FROM api_key WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0) AS k";
const sum = (column: string): string => `CAST(sum(d.${column}) AS bigint) AS ${column}`;

const failingKeys = statement(
  { ...name, calls: integer, refusals: integer, faults: integer },
  ({ lookUp }) => `
   SELECT k.id AS key, k.label, k.hint, ${["calls", "refusals", "faults"].map(sum).join(", ")}
   FROM ${NEWEST}
   ${lookUp("call_day", "d", "d.account_id = $1 AND d.key_id = k.id AND d.day BETWEEN $3 AND $4")}
   GROUP BY k.id, k.label, k.hint
   HAVING sum(d.refusals + d.faults) > 0
   ORDER BY sum(d.refusals + d.faults) DESC, k.id
   LIMIT $5 + 0`,
);
const quirkyKeys = statement(
  { ...name, quirk: oneOf(quirkKinds), program: text, seenAt: integer, calls: integer },
  ({ lookUp }) => `
   SELECT
     k.id AS key, k.label, k.hint, q.quirk, q.program, q.seen_at AS "seenAt",
     (
       SELECT CAST(coalesce(sum(d.calls), 0) AS bigint) FROM call_day AS d
       WHERE d.account_id = $1 AND d.key_id = k.id AND d.day BETWEEN $5 AND $6
     ) AS calls
   FROM ${NEWEST}
   ${lookUp("client_quirk", "q", "q.account_id = $1 AND q.key_id = k.id")}
   WHERE q.seen_at >= $3
   ORDER BY q.seen_at DESC, k.id, q.quirk
   LIMIT $4 + 0`,
);

/** The most jobs among which those that are left are looked for. */
const MAX_JOBS = 1000;

/** The newest changes of an account, among which a test message is looked for. */
const MAX_CHANGES = 1000;

const steps = statement(
  {
    ...{ areDismissed: boolean, hasSender: boolean, hasTest: boolean },
    ...{ hasSentCampaign: boolean, hasBackup: boolean },
  },
  `SELECT
     steps_dismissed_at IS NOT NULL AS "areDismissed",
     EXISTS (SELECT 1 FROM sender WHERE account_id = $1) AS "hasSender",
     EXISTS (
       SELECT 1
       FROM (SELECT action FROM audit WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0) AS visited
       WHERE action = 'campaign.testSend'
     ) AS "hasTest",
     EXISTS (SELECT 1 FROM campaign WHERE account_id = $1 AND sent_at IS NOT NULL) AS "hasSentCampaign",
     EXISTS (SELECT 1 FROM program WHERE name = 'mailroll' AND backed_up_at IS NOT NULL) AS "hasBackup"
   FROM account
   WHERE id = $1`,
);
const counters = statement(
  { activeSubscribers: integer, refusedCalls: integer, keys: integer },
  `SELECT
     active_subscribers AS "activeSubscribers", refused_rows AS "refusedCalls",
     (SELECT count(*) FROM (SELECT 1 AS one FROM api_key WHERE account_id = $1 LIMIT $2 + 0) AS visited) AS keys
   FROM account
   WHERE id = $1`,
);
const largest = statement(
  { ...list.row, count: integer },
  `SELECT ${list.columns}, count(*) OVER () AS count
   FROM (SELECT * FROM list WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0) AS visited
   ORDER BY member_count DESC, id
   LIMIT $3 + 0`,
);
const lastCampaigns = statement(
  campaign.row,
  `SELECT ${campaign.columns} FROM campaign
   WHERE account_id = $1 AND NOT is_deleting
   ORDER BY created_at DESC, id DESC
   LIMIT $2 + 0`,
);
const left = statement(
  job.row,
  `SELECT ${job.columns}
   FROM (SELECT * FROM job WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0) AS visited
   WHERE ended_at IS NULL
   ORDER BY id DESC
   LIMIT $3 + 0`,
);

async function withEvents(db: Db, account: number, one: Campaign) {
  const count = (event: CampaignEvent): Promise<number> =>
    countEvents(db, { account, campaign: one.id, event, most: MAX_COUNTED });
  return {
    ...one,
    events: {
      bounced: await count("bounced"),
      unsubscribed: await count("unsubscribed"),
      complained: await count("complained"),
    },
  };
}

export async function overview(
  db: Db,
  { account, from, to, since }: OfAccount & DayRange & { readonly since: number },
): Promise<AccountGlance | null> {
  const found = await db.get(counters, account, MAX_COUNTED);
  if (found === null) return null;
  const lists = await db.all(largest, account, MAX_COUNTED, MAX_SHOWN);
  const campaigns: Awaited<ReturnType<typeof withEvents>>[] = [];
  for (const one of await db.all(lastCampaigns, account, MAX_SHOWN))
    campaigns.push(await withEvents(db, account, one));
  return {
    ...found,
    lists: lists[0]?.count ?? 0,
    largestLists: lists.map(({ count: _count, ...one }) => one),
    lastCampaigns: campaigns,
    failingKeys: await db.all(failingKeys, account, MAX_KEYS, from, to, MAX_SHOWN),
    quirkyKeys: await db.all(quirkyKeys, account, MAX_KEYS, since, MAX_SHOWN, from, to),
    jobs: (await db.all(left, account, MAX_JOBS, MAX_SHOWN)).map(toJob),
    steps: await db.one(steps, account, MAX_CHANGES),
  };
}
