/** `mailroll campaign …`: all campaigns, also of other tools, and their events. */

import { createInterface } from "node:readline";
import {
  deleteCampaign,
  listCampaigns,
  recordCampaign,
  setCampaign,
  showCampaign,
  showCampaignToDelete,
} from "#admin/campaigns/campaigns.ts";
import { type EventResult, type GivenEvent, recordEvent, recordEvents } from "#admin/campaigns/events.ts";
import { isFuture } from "#admin/kit/inputs.ts";
import { parseAddress } from "#domain/address.ts";
import { type Campaign, type CampaignEvent, campaignEvents } from "#domain/campaign.ts";
import { readTime } from "#transfer/values/time.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { countedDocument, listDocument, sendingDocument } from "../../kit/documents.ts";
import { everyPage } from "../../kit/every-page.ts";
import { openInput } from "../../kit/files.ts";
import { printOutcome } from "../../kit/outcome.ts";
import { parseChoice, parseId } from "../../kit/parse-call.ts";
import { moment } from "../../kit/terminal/output.ts";
import { counted, formatNumber, parseTime } from "../../kit/terminal/text.ts";
import { composeCommands } from "./compose.ts";
import { ledgerCommands } from "./ledger.ts";
import { previewCommands } from "./preview.ts";
import { sendCommands } from "./send.ts";
import { progressOf, resultCommands, sendingLines, watch } from "./show.ts";

/**
 * A file of campaign events: one JSON object per line, read as a stream of any length. A bad line is reported
 * and skipped. Recording a line twice changes nothing, so after an interruption the whole file can be
 * recorded again.
 */
const GROUP = 256;
const SHOWN = 40;

/** The event of a line, or what is wrong with it as text. Other members are ignored. */
export function readEventLine(line: string, now: number): GivenEvent | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return `not JSON: ${line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line}`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "not a JSON object";
  const { event: kind, email, at = null } = value as Readonly<Record<string, unknown>>;
  const event = campaignEvents.find((one) => one === kind);
  if (event === undefined) return `"event" must be one of ${campaignEvents.join(", ")}`;
  if (typeof email !== "string" || parseAddress(email) === null) return '"email" must be an e-mail address';
  const time = typeof at === "string" ? readTime(at) : null;
  if (at !== null && time === null) return '"at" must be a time such as "2026-11-01T10:00:00Z"';
  if (time !== null && isFuture(time, now)) return '"at" must not be in the future';
  return { event, email, at: time };
}

/** Records the lines in groups; returns how many are recorded and how many are bad. */
async function recordLines(
  lines: AsyncIterable<string>,
  now: number,
  record: (events: readonly GivenEvent[]) => Promise<readonly EventResult[]>,
  onBad: (lineNumber: number, reason: string) => void,
): Promise<{ readonly recorded: number; readonly bad: number }> {
  let [lineNumber, recorded, bad] = [0, 0, 0];
  let group: { readonly line: number; readonly event: GivenEvent }[] = [];
  const refuse = (line: number, reason: string): void => {
    bad += 1;
    onBad(line, reason);
  };
  const recordGroup = async (): Promise<void> => {
    const results = await record(group.map(({ event }) => event));
    for (const [index, { error, outcome }] of results.entries())
      if (error === null) recorded += 1;
      else refuse(group[index]?.line ?? 0, outcome);
    group = [];
  };
  for await (const text of lines) {
    lineNumber += 1;
    // The first line may begin with a byte order mark.
    const line = text.replace(/^\ufeff/, "");
    if (line.trim() === "") continue;
    const event = readEventLine(line, now);
    if (typeof event === "string") refuse(lineNumber, event);
    else group.push({ line: lineNumber, event });
    if (group.length === GROUP) await recordGroup();
  }
  await recordGroup();
  return { recorded, bad };
}

async function record({ args, option, options, performInAccount, out }: Context): Promise<void> {
  const made = await performInAccount(recordCampaign, {
    name: args[0] ?? "",
    lists: options("list").flatMap((ids) => ids.split(",").map((id) => parseId(id.trim(), "--list"))),
    createdAt: option("created", parseTime) ?? null,
    sentAt: option("sent", parseTime) ?? null,
  });
  out.result(made, () => describe(made));
}
const describe = ({ id, name, createdAt, sentAt }: Campaign): string =>
  `Campaign ${id}: ${name}, created ${moment(createdAt)}, ${sentAt === null ? "not sent" : `sent ${moment(sentAt)}`}`;

const eventLabels: Readonly<Record<CampaignEvent, string>> = {
  bounced: "Bounced",
  unsubscribed: "Unsubscribed",
  complained: "Complained",
};

async function show(context: Context): Promise<void> {
  const { args, has, perform, account, out } = context;
  const one = { account: (await account()).id, campaign: parseId(args[0], "ID") };
  if (has("watch")) await watch(context, one);
  const found = await perform(showCampaign, one);
  const { sending, lists } = found;
  out.result(
    {
      ...countedDocument(found),
      lists: lists.map(listDocument),
      sending: sending && sendingDocument(sending),
    },
    () =>
      [
        describe(found),
        "",
        ...(sending === null ? [] : [...sendingLines(sending), ""]),
        ...(lists.length === 0
          ? []
          : ["Lists, with the names that they had when the campaign was recorded or sent:"]),
        ...lists.map(({ id, name, members }) => `  ${id} ${name}, now ${counted(members, "active member")}`),
        ...(lists.length === 0 ? [] : [""]),
        ...campaignEvents.map(
          (kind) =>
            `${eventLabels[kind].padEnd(13)} ${found.hasMoreEvents[kind] ? "more than " : ""}${formatNumber(found.events[kind])}`,
        ),
      ].join("\n"),
  );
}

async function remove(context: Context): Promise<void> {
  const { args, perform, account, out } = context;
  const one = { account: (await account()).id, campaign: parseId(args[0], "ID") };
  const found = await perform(showCampaignToDelete, one);
  const total = campaignEvents.reduce((sum, kind) => sum + found.events[kind], 0);
  const hasMore = campaignEvents.some((kind) => found.hasMoreEvents[kind]);
  const results = `${hasMore ? "more than " : ""}${counted(total, "result")}`;
  await requireConfirmation(context, {
    verb: "Delete",
    done: "deleted",
    what: `campaign ${found.id} (${found.name}) with ${results}`,
    consequence: "Subscribers who bounced, unsubscribed or complained stay suppressed.",
  });
  await perform(deleteCampaign, one);
  out.result(
    countedDocument(found),
    () => `Deleted campaign ${found.id} (${found.name}), which had ${results}.`,
  );
}

async function set({ args, option, perform, account, out }: Context): Promise<void> {
  const changes = {
    name: option("name"),
    createdAt: option("created", parseTime),
    sentAt: option("sent", (text, what) => (text === "none" ? null : parseTime(text, what))),
  };
  if (Object.values(changes).every((value) => value === undefined))
    throw new UsageError("nothing to set: give --name, --created or --sent");
  const one = { account: (await account()).id, campaign: parseId(args[0], "ID") };
  const changed = await perform(setCampaign, { ...one, ...changes });
  out.result(changed, () => describe(changed));
}

async function event(context: Context): Promise<void> {
  const { args, option, performInAccount, out } = context;
  const campaign = parseId(args[0], "ID");
  const file = option("file");
  if (file !== undefined) return eventsFrom(context, campaign, file);
  if (args.length < 3)
    throw new UsageError(`${args.length < 2 ? "EVENT and EMAIL are" : "EMAIL is"} missing; or give --file`);
  const kind = parseChoice(args[1], "EVENT", campaignEvents);
  const { outcome, address, isCounted } = await performInAccount(recordEvent, {
    campaign,
    event: kind,
    email: args[2] ?? "",
    at: option("at", parseTime) ?? null,
  });
  const text = isCounted
    ? `Recorded for campaign ${campaign}: ${address} ${kind}.`
    : `Not counted for campaign ${campaign}: ${address} had ${kind} before.`;
  printOutcome(out, outcome, text);
}

async function eventsFrom(context: Context, campaign: number, file: string): Promise<void> {
  const { args, option, perform, account, out } = context;
  if (args.length > 1 || option("at") !== undefined)
    throw new UsageError(
      "with --file, EVENT, EMAIL and --at come from the file; do not give them as arguments",
    );
  const one = { account: (await account()).id, campaign, isFromFile: true };
  // Whether the campaign exists, before the file is opened.
  await perform(recordEvents, { ...one, events: [] });
  const { recorded, bad } = await recordLines(
    createInterface({ input: (await openInput(file)).stream, crlfDelay: Infinity }),
    context.now,
    (events) => perform(recordEvents, { ...one, events }),
    (line, reason) => out.note(`line ${line}: ${reason}`),
  );
  out.result(
    { recordedCount: recorded, failedCount: bad },
    () => `Recorded for campaign ${campaign}: ${counted(recorded, "event")}; ${counted(bad, "bad line")}.`,
  );
  if (bad > 0)
    throw new Failure(
      `${counted(bad, "line")} could not be recorded; correct them and run the command again`,
      "RowsRejected",
    );
}

export const campaignCommands: readonly Command[] = [
  ...composeCommands,
  ...previewCommands,
  ...sendCommands,
  ...ledgerCommands,
  ...resultCommands,
  {
    name: "campaign record",
    args: ["NAME"],
    options: {
      list: {
        value: "ID",
        repeated: true,
        required: true,
        doc: "A list of the campaign; repeat the option for each list.",
      },
      created: {
        value: "T",
        doc: "When it was created: a date, in UTC, or a dateTime with its time zone (default: the time of --sent, or now).",
      },
      sent: { value: "T", doc: "When it was sent; not in the future. Omit it if the campaign was not sent." },
    },
    doc: "Records a campaign that another tool sent or will send.",
    example: "campaign record 'Spring offers' --list 1 --list 2 --sent 2026-03-03T07:15:00Z",
    inputs: { createdAt: "created", sentAt: "sent" },
    run: record,
  },
  {
    name: "campaign event",
    args: ["ID", "[EVENT]", "[EMAIL]"],
    options: {
      at: {
        value: "T",
        doc: "When it happened: a date, in UTC, or a dateTime with its time zone (default: now).",
      },
      file: { value: "FILE", doc: "A file with many events; - for standard input." },
    },
    doc: "Records an event of a campaign for an address: bounced, unsubscribed or complained.",
    details: `EVENT is one of ${campaignEvents.join(", ")}. Recording the same event again changes nothing.
An opt-out of somebody who had unsubscribed before is not counted for the campaign.

With --file, omit EVENT, EMAIL and --at: mailroll campaign event 1 --file events.jsonl

FILE has one JSON object per line; "at" is optional:
  {"event":"bounced","email":"ada@example.org","at":"2026-11-01T10:00:00Z"}
An invalid line is reported and skipped. The other lines are recorded.`,
    example: "campaign event 1 bounced ada@example.org --at 2026-11-01T10:00:00Z",
    run: event,
  },
  {
    name: "campaign show",
    args: ["ID"],
    options: {
      watch: {
        doc: "Show progress, rate and time left until the campaign is sent, paused, held or cancelled.",
      },
    },
    doc: "Shows a campaign: its sending, its lists, and how many subscribers bounced, unsubscribed or complained.",
    example: "campaign show 1",
    run: show,
  },
  {
    name: "campaign set",
    args: ["ID"],
    options: {
      name: { value: "NAME", doc: "The name." },
      created: { value: "T", doc: "When it was created: a date, in UTC, or a dateTime with its time zone." },
      sent: { value: "T", doc: "When it was sent; 'none' if it was not." },
    },
    doc: "Corrects the name or the times of a campaign.",
    example: "campaign set 1 --name 'Spring offers 2026' --sent 2026-03-03T07:15:00Z",
    inputs: { createdAt: "created", sentAt: "sent" },
    run: set,
  },
  {
    name: "campaign delete",
    args: ["ID"],
    options: yesOption,
    doc: "Deletes a campaign and its results, after confirmation; the history of subscribers stays.",
    details:
      "Subscribers who bounced, unsubscribed or complained stay suppressed. Their history keeps the campaign's id.",
    example: "campaign delete 1 --yes",
    run: remove,
  },
  {
    name: "campaign list",
    doc: "Lists the campaigns, newest first.",
    example: "campaign list",
    run: async ({ performInAccount, out }) => {
      out.table(
        await everyPage((page) => performInAccount(listCampaigns, page)),
        "There is no campaign yet; create one with 'mailroll campaign create NAME'.",
        ({ sending, ...campaign }) => ({
          ...campaign,
          state: sending?.state ?? "recorded",
          progress: sending === null || sending.selected === 0 ? null : progressOf(sending),
        }),
        ({ sending, ...campaign }) => ({ ...campaign, sending: sending && sendingDocument(sending) }),
      );
    },
  },
];
