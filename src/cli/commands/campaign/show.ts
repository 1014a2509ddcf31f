/** How a campaign and its sending are shown, once or while it is being sent. */

import { stateText } from "#admin/campaigns/compose.ts";
import { listEvents } from "#admin/campaigns/events.ts";
import type { Sending } from "#admin/campaigns/progress.ts";
import { campaignTotals, eventsPerDay, MAX_TOTALS } from "#admin/campaigns/results.ts";
import { showSending } from "#admin/campaigns/send.ts";
import { DEFAULT_DAYS } from "#admin/statistics.ts";
import { campaignEvents, MAX_COUNTED, MAX_EVENTS } from "#domain/campaign.ts";
import { hasEnded, isLeftOut, type MailingState } from "#domain/sending/mailing.ts";
import { type RecipientState, recipientStates } from "#domain/sending/recipient.ts";
import { sleep } from "#jobs/sleep.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { everyPage, firstRows } from "../../kit/every-page.ts";
import { parseChoice, parseId } from "../../kit/parse-call.ts";
import { interruptible } from "../../kit/signals.ts";
import { moment } from "../../kit/terminal/output.ts";
import { duration, formatNumber } from "../../kit/terminal/text.ts";

/** `mailroll campaign results`, `mailroll statistics campaigns`: who bounced, unsubscribed or complained. */
const DEFAULT_LIMIT = "100";

async function results({ args, option, perform, account, out }: Context): Promise<void> {
  const campaign = parseId(args[0], "ID");
  const [given, from, to] = [option("event"), option("from") ?? null, option("to") ?? null];
  const limit = parseId(option("limit") ?? DEFAULT_LIMIT, "--limit");
  if (given === undefined && option("limit") !== undefined) throw new UsageError("--limit needs --event");
  if (given !== undefined && (from ?? to) !== null)
    throw new UsageError("--from and --to cannot be used with --event; leave out one or the other");
  const one = { account: (await account()).id, campaign };
  if (given === undefined) {
    const days = await perform(eventsPerDay, { ...one, from, to });
    out.table(
      days.map(({ date, events, isComplete }) => ({ date, ...events, isComplete })),
      "There are no results between these dates.",
    );
    return;
  }
  const event = parseChoice(given, "--event", campaignEvents);
  const { rows, hasMore } = await firstRows(limit, (page) => perform(listEvents, { ...one, event, ...page }));
  if (hasMore) out.note(`these are the first ${formatNumber(limit)}; for more, give --limit N`);
  out.table(
    rows.map(({ subscriber, address, firstName, lastName, joinedAt, at }) => ({
      ...{ subscriberId: subscriber, email: address, firstName: firstName || null },
      ...{ lastName: lastName || null, joinedAt, at },
    })),
    `Nobody has ${event} because of the campaign.`,
  );
}

export const resultCommands: readonly Command[] = [
  {
    name: "campaign results",
    args: ["ID"],
    options: {
      event: {
        value: campaignEvents.join("|"),
        doc: "List the subscribers who had this event, the oldest event first.",
      },
      limit: { value: "N", doc: `Maximum number of subscribers to show (default: ${DEFAULT_LIMIT}).` },
      from: {
        value: "DATE",
        doc: "The first day (default: the day on which the campaign was sent, or else created).",
      },
      to: { value: "DATE", doc: `The last day (default: ${DEFAULT_DAYS} days from the first, up to today).` },
    },
    doc: "Counts per day who bounced, unsubscribed or complained because of a campaign, or lists them.",
    details: `Days are days in UTC. At most ${MAX_EVENTS} events of each kind are counted. From the day on which that limit is reached,
days are incomplete (isComplete is false).`,
    example: "campaign results 1 --event unsubscribed",
    run: results,
  },
];

export const campaignStatistics: Command = {
  name: "statistics campaigns",
  doc: "Counts for each campaign who bounced, unsubscribed or complained, the newest campaign first.",
  details: `Each number is counted up to ${MAX_COUNTED}. 'campaign show ID' counts further.`,
  example: "statistics campaigns",
  run: async ({ perform, account, out }) => {
    const { id } = await account();
    const totals = await everyPage(({ limit, after }) =>
      perform(campaignTotals, { account: id, limit: Math.min(limit, MAX_TOTALS), after }),
    );
    out.table(
      totals.map(({ id, name, createdAt, sentAt, bounced, unsubscribed, complained }) => ({
        ...{ id, name, createdAt, sentAt, bounced, unsubscribed, complained },
      })),
      "There is no campaign yet; create one with 'mailroll campaign create NAME'.",
    );
  },
};

const LOOK_MS = 1000;
/** What a campaign says in place of its state while it waits for a limit. */
const limited = ({ waitsFor }: Sending): string | null => {
  if (waitsFor === "daily limit") return "waits for the daily limit of its sender";
  return waitsFor === "domain limit" ? "waits for a limit of its sender" : null;
};

/** Such as "1,200 of 10,000 (12%), 95/s, 2 min left". */
export function progressOf({ progress }: Sending): string {
  const { done, total, perSecond, secondsLeft } = progress;
  return [
    `${formatNumber(done)} of ${formatNumber(total)}${total === 0 ? "" : ` (${Math.floor((done / total) * 100)}%)`}`,
    ...(perSecond === null ? [] : [`${formatNumber(perSecond)}/s`]),
    ...(secondsLeft === null ? [] : [`${duration(secondsLeft)} left`]),
  ].join(", ");
}

/** In the text for people; `--json` has the state itself. */
export const recipientText = (recipient: RecipientState, campaign: MailingState): string =>
  isLeftOut(recipient, campaign) ? "not sent" : recipient;

/** In a cancelled campaign, two states have the same text. */
function countsByText({ state, counts }: Sending): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const one of recipientStates.filter((one) => counts[one] > 0)) {
    const text = recipientText(one, state);
    found.set(text, (found.get(text) ?? 0) + counts[one]);
  }
  return found;
}

export function sendingLines(sending: Sending): readonly string[] {
  const {
    state,
    bouncedCount,
    progress,
    reason,
    waitsFor,
    waitsUntil,
    scheduledAt,
    startedAt,
    endedAt,
    selected,
  } = sending;
  const limit = limited(sending);
  return [
    `State         ${limit === null ? stateText(sending) : `${limit} until ${moment(waitsUntil)}`}`,
    // The state has said it already.
    ...(reason === null || waitsFor === "daily limit" ? [] : [`Reason        ${reason}`]),
    ...(waitsFor === "relay" ? [`Next try      ${moment(waitsUntil)}`] : []),
    ...(scheduledAt === null ? [] : [`Scheduled     ${moment(scheduledAt)}`]),
    ...(startedAt === null ? [] : [`Started       ${moment(startedAt)}`]),
    ...(endedAt === null ? [] : [`${hasEnded(state) ? "Ended    " : "Cancelled"}     ${moment(endedAt)}`]),
    ...(selected === 0
      ? []
      : [
          `Progress      ${progressOf(sending)}`,
          ...(progress.relayPerSecond === null
            ? []
            : [`Relay         accepts about ${formatNumber(progress.relayPerSecond)} messages a second`]),
          ...[...countsByText(sending)].map(([text, count]) => `  ${text.padEnd(12)}${formatNumber(count)}`),
          ...(bouncedCount === 0 ? [] : [`  bounced     ${formatNumber(bouncedCount)}`]),
        ]),
  ];
}

/** Shows the progress until the campaign is not being sent any more. */
export async function watch(context: Context, one: { account: number; campaign: number }): Promise<void> {
  const { perform, out } = context;
  await interruptible(new Failure("stopped watching; the campaign goes on"), async (signal) => {
    for (;;) {
      const sending = await perform(showSending, one);
      if (hasEnded(sending.state) || ["draft", "paused", "held"].includes(sending.state)) break;
      out.progress(`${limited(sending) ?? sending.state} ${progressOf(sending)}`);
      await sleep(LOOK_MS, signal);
      signal.throwIfAborted();
    }
  }).finally(() => out.progress(null));
}
