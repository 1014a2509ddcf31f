/** Sends campaigns: start, schedule, pause, resume, cancel, and dry runs. */
import type { Job } from "#domain/job/job.ts";
import { dryRunJob } from "#domain/job/kinds.ts";
import { type MailingChange, mayChange, OVERDUE_MS } from "#domain/sending/mailing.ts";
import { requireVersion } from "#domain/version.ts";
import { audited, type Performing, query } from "../kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "../kit/errors.ts";
import { requireMail } from "../kit/mail-tools.ts";
import { startJob } from "../kit/start-job.ts";
import { hasGrown } from "./audience.ts";
import type { OfCampaign } from "./campaigns.ts";
import { requireReady } from "./checks.ts";
import { findComposed, notComposed, wrongState } from "./compose.ts";
import { type Sending, withProgress } from "./progress.ts";

/** Shows how far the sending of a campaign got. */
export type { Sending };

/** Cheap enough to be repeated every second. */
export const showSending = query(
  "campaign.sending",
  "viewer",
  async (admin, one: OfCampaign): Promise<Sending> => {
    const { mailing } = await findComposed(admin, one);
    return await withProgress(admin, mailing, admin.clock());
  },
);

/**
 * Sends a campaign: schedules it, pauses, resumes or cancels it. An action writes the intent; only the
 * processes that serve send.
 */
interface SendArgs extends OfCampaign {
  /** When to start; null: now. */
  readonly at: number | null;
  /** Whether unsubscribe links may be http, for trying out. */
  readonly allowsHttp: boolean;
  /** How many people get it, as the person who sends it has seen; null: not known. */
  readonly expected?: number | null;
}

/** Nothing was sent. */
export class AudienceGrown extends NotPossible {
  constructor(campaign: number, expected: number) {
    super(
      `campaign ${campaign} would go to more people than the ${expected} expected, by more than 1 %; check how many it would go to, then send it again`,
    );
  }
}

/** More than a year ahead is a typing error. */
const FURTHEST_MS = 366 * 86_400_000;

export const sendCampaign = audited(
  "campaign.send",
  "owner",
  async (admin, { at, expected = null, ...one }: SendArgs) => {
    // A repeated request is answered by the store, whatever the campaign is like now.
    const { clock, isRepeat, mail } = admin;
    // A demo is for trying out.
    const allowsHttp = one.allowsHttp || mail?.isDemo === true;
    const now = clock();
    const found = await findComposed(admin, one);
    // The store compares it again. Here it comes before the checks: they are about what the sender has seen.
    if (!isRepeat)
      requireVersion(admin.ifVersion, "campaign content", { ...found.content, name: found.campaign.name });
    if (!isRepeat && !mayChange("schedule", found.mailing.state)) throw wrongState(found.mailing, "schedule");
    if (at !== null && at > now + FURTHEST_MS) throw new InvalidInput("at", "must be within a year from now");
    // A start that is missed so long is held, so it is refused at once.
    if (!isRepeat && at !== null && at < now - OVERDUE_MS)
      throw new InvalidInput("at", "is more than an hour in the past; leave it out to send the campaign now");
    if (!isRepeat && expected !== null && (await hasGrown(admin, one.account, found.content, expected)))
      throw new AudienceGrown(one.campaign, expected);
    const warnings = isRepeat ? [] : await requireReady(admin, one, found);
    const sending = await changed(admin, one, "schedule", { at: Math.max(at ?? now, now), allowsHttp });
    return { sending, warnings };
  },
);

async function changed(
  admin: Performing,
  { account, campaign }: OfCampaign,
  change: MailingChange,
  more: { readonly at?: number; readonly allowsHttp?: boolean } = {},
): Promise<Sending> {
  const { store, clock, audit } = admin;
  const now = clock();
  const { mailings } = store;
  const result = await mailings.change({ account, campaign, change, at: now, now, audit, ...more });
  if (result === null) throw notComposed(campaign);
  if ("unknownList" in result) throw new NotFound("list", result.unknownList);
  if ("unknownSender" in result) throw new NotFound("sender", result.unknownSender);
  if ("wrongState" in result) throw wrongState(result.wrongState, change);
  return await withProgress(admin, result, now);
}

const changing = (change: Exclude<MailingChange, "schedule">, role: "editor" | "owner") =>
  audited(`campaign.${change}`, role, async (admin, one: OfCampaign): Promise<Sending> => {
    await findComposed(admin, one);
    return await changed(admin, one, change);
  });

/** It is a draft again, and can be changed. */
export const unscheduleCampaign = changing("unschedule", "editor");
/** What is being handed over is finished first. */
export const pauseCampaign = changing("pause", "editor");
/** Also a held campaign. */
export const resumeCampaign = changing("resume", "owner");
/** No further recipient gets it, and it cannot be resumed. */
export const cancelCampaign = changing("cancel", "owner");

/**
 * Makes the message of every recipient, sends none, and reports what is wrong and how long the sending would
 * take. It is a job, because there may be a million of them; `job.result` is a `DryRunReport` as soon as it
 * has begun.
 */
export const dryRunCampaign = audited(
  "campaign.dryRun",
  "editor",
  async (admin, one: OfCampaign): Promise<{ readonly job: Job | null }> => {
    const { account, campaign } = one;
    requireMail(admin);
    const { content } = await findComposed(admin, one);
    if (content.lists.length === 0)
      throw new NotPossible(`campaign ${campaign} goes to no list; choose at least one`);
    const job = await startJob(admin, {
      ...{ account, kind: "dry-run-campaign", name: dryRunJob(campaign) },
      ...{ args: { campaign }, total: null, audited: { campaign } },
    });
    return { job };
  },
);
