/** `mailroll campaign send|pause|resume|…`: they write what is to happen; only `mailroll serve` sends. */
import type { OfCampaign } from "#admin/campaigns/campaigns.ts";
import type { Sending } from "#admin/campaigns/progress.ts";
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
  unscheduleCampaign,
} from "#admin/campaigns/send.ts";
import type { Action } from "#admin/kit/action.ts";
import { laterStart } from "#domain/sending/mailing.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { sendingDocument } from "../../kit/documents.ts";
import { parseId } from "../../kit/parse-call.ts";
import { moment } from "../../kit/terminal/output.ts";
import { formatNumber, parseMoment } from "../../kit/terminal/text.ts";
import { dryRun } from "./dry-run.ts";
import { allowHttp } from "./preview.ts";

async function send(context: Context): Promise<void> {
  const { args, option, has, perform, account, out, now } = context;
  const campaign = parseId(args[0], "ID");
  if (has("dry-run")) {
    if (option("at") !== undefined)
      throw new UsageError("--at and --dry-run contradict each other; give only one of them");
    return dryRun(context, campaign);
  }
  const at = option("at", parseMoment) ?? null;
  const { sending, warnings } = await perform(sendCampaign, {
    ...{ account: (await account()).id, campaign, at, allowsHttp: has("allow-http") },
  });
  for (const { text, advice } of warnings)
    out.note(`warning: ${text}${advice === null ? "" : `; ${advice}`}`);
  const isLater = (at ?? now) > now;
  out.result(sendingDocument(sending), () =>
    [
      isLater
        ? `Campaign ${campaign} is scheduled for ${moment(sending.scheduledAt)}.`
        : `Campaign ${campaign} is scheduled for now.`,
      isLater ? startsThen : startsSoon,
      "",
      `Watch it:  ${PROGRAM} campaign show ${campaign} --watch`,
      isLater
        ? `Stop it:   ${PROGRAM} campaign unschedule ${campaign}`
        : `Stop it:   ${PROGRAM} campaign pause ${campaign}`,
    ].join("\n"),
  );
}

async function change(
  { args, perform, account, out }: Context,
  action: Action<OfCampaign, Sending>,
  text: (sending: Sending) => string,
): Promise<void> {
  const one = { account: (await account()).id, campaign: parseId(args[0], "ID") };
  const sending = await perform(action, one);
  out.result(sendingDocument(sending), () => `Campaign ${one.campaign} ${text(sending)}`);
}

const startsThen = `Only '${PROGRAM} serve' sends: a running service starts it then.`;
const startsSoon = `Only '${PROGRAM} serve' sends: a running service starts it within a few seconds.`;

/** A campaign that was not started is scheduled. */
function resumed(sending: Sending, now: number): string {
  if (sending.state !== "scheduled")
    return `is resumed. ${handedOver(sending)} Only '${PROGRAM} serve' sends.`;
  const later = laterStart(sending, now);
  return later === null
    ? `is scheduled for now. ${startsSoon}`
    : `is scheduled for ${moment(later)}, as before. ${startsThen}`;
}

const handedOver = ({ counts, selected }: Sending): string =>
  `${formatNumber(counts.sent)} of ${formatNumber(selected)} were sent.`;

export const sendCommands: readonly Command[] = [
  {
    name: "campaign send",
    args: ["ID"],
    options: {
      at: {
        value: "T",
        doc: "When to start: a dateTime with its time zone (default: now).",
      },
      ...allowHttp,
      "dry-run": {
        doc: "Render every message, send none, and report problems and the minimum duration.",
      },
    },
    doc: "Sends a campaign, now or later, if all checks pass.",
    details: `The command only schedules the campaign; 'mailroll serve' sends it. If the start is missed by more than an hour, the
campaign is held: 'mailroll campaign resume' starts it. A time more than an hour in the past is refused.

A dry run renders the message of every recipient. It reports empty merge fields, messages that are too large or cannot
be rendered, who is left out and why, and how long sending takes at least.`,
    example: "campaign send 1 --at 2026-12-01T08:00:00Z",
    run: send,
  },
  {
    name: "campaign unschedule",
    args: ["ID"],
    doc: "Unschedules a campaign: it is a draft again, and can be changed.",
    example: "campaign unschedule 1",
    run: (context) => change(context, unscheduleCampaign, () => "is a draft again."),
  },
  {
    name: "campaign pause",
    args: ["ID"],
    doc: "Pauses a campaign that is being sent. Messages that are being handed over are finished first.",
    example: "campaign pause 1",
    run: (context) => change(context, pauseCampaign, (sending) => `is paused. ${handedOver(sending)}`),
  },
  {
    name: "campaign resume",
    args: ["ID"],
    doc: "Resumes a campaign that is paused or held.",
    details: `A campaign is held if its start was missed by more than an hour, if its messages could not be made, or if its
filter needs what does not exist any more; 'mailroll campaign show' says why. After a restore or copy of the database,
those that were scheduled, being sent or paused are held, too. Some recipients may already have got them: check the log
of the relay before you resume.

A campaign that has not started is scheduled again: for its own time, or for now if that has passed.`,
    example: "campaign resume 1",
    run: (context) => change(context, resumeCampaign, (sending) => resumed(sending, context.now)),
  },
  {
    name: "campaign cancel",
    args: ["ID"],
    options: yesOption,
    doc: "Cancels a campaign, after confirmation: nobody else gets it.",
    example: "campaign cancel 1 --yes",
    run: async (context) => {
      await requireConfirmation(context, {
        verb: "Cancel",
        done: "cancelled",
        what: `campaign ${parseId(context.args[0], "ID")}`,
        consequence: "Nobody else gets it, and it cannot be resumed.",
      });
      await change(context, cancelCampaign, (sending) => `is cancelled. ${handedOver(sending)}`);
    },
  },
];
