/** `mailroll campaign results`, `mailroll statistics campaigns`: who bounced, unsubscribed or complained. */
import { listEvents } from "#admin/campaigns/events.ts";
import { campaignTotals, eventsPerDay, MAX_TOTALS } from "#admin/campaigns/results.ts";
import { DEFAULT_DAYS } from "#admin/numbers/statistics.ts";
import { campaignEvents, MAX_COUNTED, MAX_EVENTS } from "#domain/campaign.ts";
import { parseChoice, parseId } from "../../kit/arguments/arguments.ts";
import { type Command, type Context, UsageError } from "../../kit/command.ts";
import { everyPage, firstRows } from "../../kit/every-page.ts";
import { formatNumber } from "../../kit/terminal/numbers.ts";

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
    inAccount: true,
    run: results,
  },
];

export const campaignStatistics: Command = {
  name: "statistics campaigns",
  args: [],
  options: {},
  doc: "Counts for each campaign who bounced, unsubscribed or complained, the newest campaign first.",
  details: `Each number is counted up to ${MAX_COUNTED}. 'campaign show ID' counts further.`,
  example: "statistics campaigns",
  inAccount: true,
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
