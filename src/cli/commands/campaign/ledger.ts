/** `mailroll campaign recipients|retry|clear-bounces|verify`: what became of it for each recipient. */

import { clearBounces, previewClearBounces } from "#admin/campaigns/campaigns.ts";
import { listRecipients, previewRetry, retryCampaign, verifyCampaign } from "#admin/campaigns/ledger.ts";
import { showSending } from "#admin/campaigns/send.ts";
import { inWords } from "#admin/kit/in-words.ts";
import { MAX_REASON_LENGTH, requireReason } from "#admin/kit/inputs.ts";
import type { RowCount } from "#admin/kit/paging.ts";
import { campaignEvents } from "#domain/campaign.ts";
import { recipientStates } from "#domain/sending/recipient.ts";
import type { BulkResult } from "#domain/subscriber/bulk-change.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { jobDocument, requireFinished, sendingDocument } from "../../kit/documents.ts";
import { firstRows } from "../../kit/every-page.ts";
import { choiceOf, parseId } from "../../kit/parse-call.ts";
import { counted, formatNumber, parseTime } from "../../kit/terminal/text.ts";
import { recipientText } from "./show.ts";

const DEFAULT_LIMIT = "100";

async function recipients({ args, option, performInAccount, out }: Context): Promise<void> {
  const campaign = parseId(args[0], "ID");
  const state = option("state", choiceOf(recipientStates)) ?? null;
  const limit = parseId(option("limit") ?? DEFAULT_LIMIT, "--limit");
  const { state: own } = await performInAccount(showSending, { campaign });
  const { rows, hasMore } = await firstRows(limit, (page) =>
    performInAccount(listRecipients, { campaign, state, ...page }),
  );
  if (hasMore) out.note(`these are the first ${formatNumber(limit)}; for more, give --limit N`);
  out.table(
    rows,
    state === null ? "There are no recipients yet." : `No recipient is ${state}.`,
    (row) => ({
      subscriberId: row.subscriber,
      email: row.address ?? "(erased)",
      state: recipientText(row.state, own),
      at: row.at,
      code: row.code,
      why: row.skipped ?? row.reply,
    }),
    (row) => inWords(row, { subscriber: "subscriberId", address: "email", skipped: "skipReason" }),
  );
}

async function retry(context: Context): Promise<void> {
  const { args, has, perform, account, out } = context;
  const campaign = parseId(args[0], "ID");
  const states = (["failed", "unknown"] as const).filter((state) => has(state));
  if (states.length === 0) throw new UsageError("give --failed, --unknown or both");
  const of = { account: (await account()).id, campaign, states };
  const which = states.join(" and ");
  const whom = amount(await perform(previewRetry, of), `${which} recipient`);
  await requireConfirmation(context, {
    verb: "Send",
    done: "sent",
    what: `campaign ${campaign} again to ${whom} who may still get it`,
    consequence: has("unknown")
      ? "Unknown recipients who already got it get it twice."
      : "An address that does not exist may harm the reputation of the sender.",
  });
  const { sending, count, isMore, job } = await perform(retryCampaign, of);
  if (job !== null) requireFinished(job);
  out.result({ ...sendingDocument(sending), recipientCount: count, hasMore: isMore }, () =>
    count === 0
      ? `No recipient of campaign ${campaign} is ${states.join(" or ")} and may still get it; nothing was changed.`
      : `${amount({ count, isMore }, "recipient")} of campaign ${campaign} will be tried again. Only '${PROGRAM} serve' sends.`,
  );
}

const amount = ({ count, isMore }: RowCount, what: string): string =>
  `${isMore ? "at least " : ""}${counted(count, what)}`;

async function clear(context: Context): Promise<void> {
  const { args, option, perform, account, out, now } = context;
  const campaign = parseId(args[0], "ID");
  const reason = requireReason(option("reason") ?? "");
  const since = option("since", parseTime) ?? null;
  const of = { account: (await account()).id, campaign, since };
  const found = await perform(previewClearBounces, of);
  if (found.count === 0 && !found.isMore)
    throw new Failure(
      `no subscriber is suppressed because of a bounce in campaign ${campaign}; nothing was changed`,
      "NotFound",
    );
  await requireConfirmation(context, {
    verb: "Clear",
    done: "cleared",
    what: `the bounces of ${amount(found, "subscriber")} in campaign ${campaign}`,
    consequence:
      "Later campaigns are sent to them again. Mail to nonexistent addresses harms the sender's reputation.",
  });
  const { job } = await perform(clearBounces, { ...of, reason });
  const { changed = 0 } = (job?.result ?? {}) as Partial<BulkResult>;
  out.result(
    { job: job && jobDocument(job, now) },
    () =>
      `${counted(changed, "bounce")} cleared. To send the campaign to them: ${PROGRAM} campaign retry ${campaign} --failed`,
  );
  requireFinished(job);
}

async function verify({ args, performInAccount, out }: Context): Promise<void> {
  const campaign = parseId(args[0], "ID");
  const found = await performInAccount(verifyCampaign, { campaign });
  const { mailing, rows, isBalanced, events } = found;
  const line = (label: string, counter: number, entries: number): string =>
    `${label.padEnd(10)} ${formatNumber(counter).padStart(12)} ${(mailing.purgedAt === null ? formatNumber(entries) : "-").padStart(12)}`;
  const sum = (counts: typeof rows): number =>
    recipientStates.reduce((total, state) => total + counts[state], 0);
  const { selected, counts } = mailing;
  out.result(
    {
      isBalanced,
      selectedCount: selected,
      counters: counts,
      entries: rows,
      events,
      purgedAt: mailing.purgedAt,
    },
    () =>
      [
        `${"".padEnd(10)} ${"COUNTERS".padStart(12)} ${"ENTRIES".padStart(12)}`,
        ...recipientStates.map((state) => line(state, counts[state], rows[state])),
        line("sum", sum(counts), sum(rows)),
        `${"selected".padEnd(10)} ${formatNumber(selected).padStart(12)}`,
        "",
        "Events of these recipients, which stay counted as above:",
        ...campaignEvents.map((event) => `${event.padEnd(12)} ${formatNumber(events[event]).padStart(10)}`),
        "",
        isBalanced ? `Campaign ${campaign} balances.` : `Campaign ${campaign} does not balance.`,
      ].join("\n"),
  );
  if (!isBalanced)
    throw new Failure(
      `campaign ${campaign} does not balance: the numbers do not add up; please report it, with this output`,
      "ProblemsFound",
    );
}

export const ledgerCommands: readonly Command[] = [
  {
    name: "campaign recipients",
    args: ["ID"],
    options: {
      state: { value: recipientStates.join("|"), doc: "Only recipients in this state." },
      limit: { value: "N", doc: `Maximum number of recipients to show (default: ${DEFAULT_LIMIT}).` },
    },
    doc: "Lists the recipients of a campaign, with the result for each.",
    details: `queued: not sent yet. sending: being handed over. sent: the relay accepted it. deferred: the relay asked to try again
later. failed: the relay refused it. skipped: not sent, for instance because the subscriber unsubscribed meanwhile.
unknown: the connection was lost after the last byte, or the process was killed; nobody knows whether the relay
accepted it. Of a cancelled campaign, who is queued or deferred is shown as: not sent.`,
    example: "campaign recipients 1 --state failed",
    run: recipients,
  },
  {
    name: "campaign retry",
    args: ["ID"],
    options: {
      failed: { doc: "All recipients whose message the relay refused." },
      unknown: {
        doc: "All recipients whose result is unknown. Those who already got the message get it twice.",
      },
      ...yesOption,
    },
    doc: "Sends a campaign again to all failed or unknown recipients, after confirmation.",
    details: `Only to those who may still get it: nobody who has unsubscribed, bounced, complained, was blocked or left the lists.
If the relay wrongly reported existing addresses as nonexistent, clear the bounces first: 'mailroll campaign
clear-bounces'.`,
    example: "campaign retry 1 --unknown --yes",
    run: retry,
  },
  {
    name: "campaign clear-bounces",
    args: ["ID"],
    options: {
      since: { value: "TIME", doc: "Only bounces since this time, such as 2026-11-01T10:00:00Z." },
      reason: {
        value: "TEXT",
        required: true,
        doc: `Required: why, for the history of each subscriber. One line, at most ${MAX_REASON_LENGTH} characters.`,
      },
      ...yesOption,
    },
    doc: "Clears the hard bounces that a campaign has caused, after confirmation.",
    details: `Use this if a relay wrongly reported existing addresses as nonexistent. The subscribers are active again, unless
something else suppresses them. The campaign keeps its number of bounces. It is not sent to them until 'mailroll
campaign retry' is used. If the command is interrupted, a server continues it.`,
    example:
      "campaign clear-bounces 1 --since 2026-11-01T10:00:00Z --reason 'the relay was misconfigured' --yes",
    run: clear,
  },
  {
    name: "campaign verify",
    args: ["ID"],
    doc: "Counts the recipients of a campaign, and verifies that the numbers add up.",
    details: `selected = sent + failed + skipped + unknown; while it is being sent, also + queued + sending + deferred. The exit code
is 1 if the numbers do not add up.`,
    example: "campaign verify 1",
    run: verify,
  },
];
