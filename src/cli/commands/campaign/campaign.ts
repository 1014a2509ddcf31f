/** `mailroll campaign …`: campaigns that another tool sent, and their events. */
import { parseAddress } from "../../../domain/address.ts";
import { type Campaign, campaignEvents } from "../../../domain/campaign.ts";
import { bareAddress } from "../../../transfer/mailbox.ts";
import { parseChoice, parseId, requireName } from "../../kit/arguments/arguments.ts";
import { type Command, type Context, Failure, notFound, UsageError } from "../../kit/command.ts";
import { refuse, settle } from "../../kit/outcome.ts";
import { counted } from "../../kit/terminal/numbers.ts";
import { moment } from "../../kit/terminal/output.ts";
import { parsePastTime, parseTime } from "../../kit/terminal/time.ts";
import { importEvents, openLines } from "./event-file.ts";

interface Times {
  readonly createdAt: number;
  readonly sentAt: number | null;
}
/** A campaign is created before it is sent; if only the time of sending is known, it is used for both. */
export function parseTimes(created: string | undefined, sent: string | undefined, now: number): Times {
  const sentAt = sent === undefined ? null : parsePastTime(sent, "--sent", now);
  if (created === undefined) return { createdAt: sentAt === null ? now : Math.min(sentAt, now), sentAt };
  const createdAt = parsePastTime(created, "--created", now);
  if (sentAt !== null && sentAt < createdAt)
    throw new UsageError(`--sent (${sent}) must not be before --created (${created})`);
  return { createdAt, sentAt };
}

async function record({ args, option, options, store, account, now, out }: Context): Promise<void> {
  const name = requireName(args[0]);
  const lists = options("list").flatMap((ids) => ids.split(",").map((id) => parseId(id.trim(), "--list")));
  const times = parseTimes(option("created"), option("sent"), now);
  const { id } = await account();
  const made = await (await store()).campaigns.record({ account: id, name, lists, ...times });
  if ("unknownList" in made) throw notFound("list", made.unknownList);
  out.result(made, () => describe(made));
}
const describe = ({ id, name, createdAt, sentAt }: Campaign): string =>
  `Campaign ${id}: ${name}, created ${moment(createdAt)}, ${sentAt === null ? "not sent" : `sent ${moment(sentAt)}`}`;

async function event(context: Context): Promise<void> {
  const { args, option, store, account, now, out } = context;
  const campaign = parseId(args[0], "ID");
  const file = option("file");
  if (file !== undefined) return eventsFrom(context, campaign, file);
  if (args.length < 3)
    throw new UsageError(`${args.length < 2 ? "EVENT and EMAIL are" : "EMAIL is"} missing; or give --file`);
  const kind = parseChoice(args[1], "EVENT", campaignEvents);
  const at = option("at");
  const time = at === undefined ? now : parseTime(at, "--at");
  const { id } = await account();
  const email = bareAddress(args[2] ?? "");
  const address = parseAddress(email);
  const outcome = await (await store()).campaigns.recordEvent({
    account: id,
    at: time,
    origin: { kind: "operator" },
    recordedCall: null,
    address,
    campaign,
    event: kind,
  });
  if (outcome === "UnknownCampaign") refuse(out, outcome, notFound("campaign", campaign).message);
  const who = address?.text ?? "";
  settle(out, outcome, `Recorded for campaign ${campaign}: ${kind} of ${who}.`, {
    account: id,
    address: email,
    limit: "subscribers",
  });
}

async function eventsFrom(context: Context, campaign: number, file: string): Promise<void> {
  const { args, option, store, account, now, out } = context;
  if (args.length > 1 || option("at") !== undefined)
    throw new UsageError(
      "with --file, EVENT, EMAIL and --at come from the file; do not give them as arguments",
    );
  const { id } = await account();
  const opened = await store();
  if ((await opened.campaigns.byId({ account: id, id: campaign })) === null)
    throw notFound("campaign", campaign);
  const { recorded, bad } = await importEvents(opened, await openLines(file), {
    account: id,
    campaign,
    now,
    onBad: (line, reason) => out.note(`line ${line}: ${reason}`),
  });
  out.result(
    { recorded, bad },
    () => `Recorded for campaign ${campaign}: ${counted(recorded, "event")}; ${counted(bad, "bad line")}.`,
  );
  if (bad > 0)
    throw new Failure(
      `${counted(bad, "line")} could not be recorded; correct them and run the command again`,
      "RowsRejected",
    );
}

export const campaignCommands: readonly Command[] = [
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
        doc: "When it was created: a date or a dateTime, in UTC if it has no offset (default: the time of --sent, or now).",
      },
      sent: { value: "T", doc: "When it was sent; not in the future. Omit it if the campaign was not sent." },
    },
    doc: "Records a campaign that another tool sent or will send.",
    example: "campaign record 'Spring offers' --list 1 --list 2 --sent 2026-03-03T07:15:00Z",
    inAccount: true,
    run: record,
  },
  {
    name: "campaign event",
    args: ["ID", "[EVENT]", "[EMAIL]"],
    options: {
      at: {
        value: "T",
        doc: "When it happened: a date or a dateTime, in UTC if it has no offset (default: now).",
      },
      file: { value: "FILE", doc: "A file with many events; - for standard input." },
    },
    doc: "Records an event of a campaign for an address: hard-bounce, unsubscribe or complaint.",
    details: `EVENT is one of ${campaignEvents.join(", ")}. Recording the same event again changes nothing.

With --file, omit EVENT, EMAIL and --at: mailroll campaign event 1 --file events.jsonl

FILE has one JSON object per line; "at" is optional:
  {"event":"hard-bounce","email":"ada@example.org","at":"2026-11-01T10:00:00Z"}
An invalid line is reported and skipped. The other lines are recorded.`,
    example: "campaign event 1 hard-bounce ada@example.org --at 2026-11-01T10:00:00Z",
    inAccount: true,
    run: event,
  },
  {
    name: "campaign list",
    args: [],
    options: {},
    doc: "Lists the campaigns, newest first.",
    example: "campaign list",
    inAccount: true,
    run: async ({ store, account, out }) => {
      const { id } = await account();
      const campaigns: Campaign[] = [];
      for await (const page of (await store()).campaigns.all.pages({ account: id })) campaigns.push(...page);
      out.table(
        campaigns,
        "There is no campaign yet; record one with 'mailroll campaign record NAME --list ID'.",
      );
    },
  },
];
