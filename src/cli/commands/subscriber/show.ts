/** `mailroll subscriber show`: answers the question "what happened to this address?". */

import { nameReplaced } from "#admin/subscribers/correct.ts";
import { importedAt, mergeNames, type Names } from "#admin/subscribers/names.ts";
import { recordDocument, replacedDocument, sentDocument } from "#admin/subscribers/person-document.ts";
import { listCampaignResults, listHistory, showSubscriber } from "#admin/subscribers/record.ts";
import { batchOf, type Origin, operatorOf } from "#domain/access/origin.ts";
import type { UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import type { SubscriberRecord } from "#domain/ports/subscribers.ts";
import type { SentCampaign } from "#domain/sending/mailing.ts";
import type { HistoryEntry } from "#domain/subscriber/history.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import type { Context } from "../../kit/command.ts";
import { keyName } from "../../kit/documents.ts";
import { everyPage } from "../../kit/every-page.ts";
import { moment, toTable } from "../../kit/terminal/output.ts";
import { oneLine } from "../../kit/terminal/text.ts";
import { recipientText } from "../campaign/show.ts";
import { basicLabels, replacementText } from "./set.ts";

/** A subscriber with everything that happened, from all pages of it, and the latest campaigns. */
interface Whole {
  readonly record: SubscriberRecord;
  /** The newest first. */
  readonly campaigns: readonly SentCampaign[];
  readonly names: Names;
}

async function wholeRecord(
  { perform }: Pick<Context, "perform">,
  account: AccountId,
  email: string,
): Promise<Whole> {
  const shown = await perform(showSubscriber, { account, email });
  const { record } = shown;
  const one = { account, id: record.id };
  let { names } = shown;
  const history = shown.hasMoreHistory
    ? await everyPage(async (range) => {
        const { names: further, ...page } = await perform(listHistory, { ...one, ...range });
        names = mergeNames(names, further);
        return page;
      })
    : record.history;
  const losses = shown.hasMoreCampaignResults
    ? await everyPage((range) => perform(listCampaignResults, { ...one, ...range }))
    : record.losses;
  return {
    record: { ...record, history: oldestFirst(history), losses: oldestFirst(losses) },
    campaigns: shown.campaigns,
    names,
  };
}

/** Pages are in the order of recording, the newest first. Entries of one time stay in that order. */
const oldestFirst = <Row extends { readonly at: number }>(rows: readonly Row[]): readonly Row[] =>
  rows.toReversed().sort((one, other) => one.at - other.at);

export async function subscriberShow(context: Context): Promise<void> {
  const { args, account, out } = context;
  const { record, campaigns, names } = await wholeRecord(context, (await account()).id, args[0] ?? "");
  const document = { ...recordDocument(record, names), campaigns: campaigns.map(sentDocument) };
  out.result(document, () => page(record, campaigns, names));
}

function page(record: SubscriberRecord, campaigns: readonly SentCampaign[], names: Names): string {
  const { data, values, lists, history } = record;
  const details: readonly (readonly [label: string, value: string | null])[] = [
    ["State", stateLine(record)],
    ["Known since", moment(record.knownSince)],
    [basicLabels.firstName, data.firstName],
    [basicLabels.lastName, data.lastName],
    [basicLabels.gender, data.gender],
    [basicLabels.birthday, data.birthday],
    [basicLabels.country, data.country],
  ];
  const lines = details
    .filter(([, value]) => value !== null && value !== "")
    .map(([label, value]) => `${label.padEnd(12)} ${oneLine(value ?? "")}`);
  const sections = [
    section(
      "Custom values",
      values.map(({ name, value, at, key, batch }) => ({
        field: name,
        value,
        givenAt: at,
        through: key === null ? (batch === null ? null : `import ${batch}`) : keyName(key, names.keys),
      })),
      "none",
    ),
    section(
      "Lists",
      lists.map(({ id, name, joinedAt, status, counts }) => ({
        id,
        name,
        joinedAt,
        // An active membership of a suppressed subscriber.
        status: status === "active" && !counts ? "suspended" : status,
      })),
      "none",
    ),
    ...(campaigns.length === 0
      ? []
      : [section("Latest campaigns, newest first", campaigns.map(campaignRow), "none")]),
    section(
      "History, oldest first",
      history.map((entry) => historyRow(entry, names)),
      "no entries",
    ),
  ];
  return [oneLine(record.address), "", ...lines, ...sections].join("\n");
}

/** The state comes first, then the other suppressions. */
function stateLine({ state, suppressions: held }: SubscriberRecord): string {
  if (state === "active") return state;
  return suppressionKinds
    .filter((suppression) => held[suppression] !== null)
    .map((suppression) => `${suppression} since ${moment(held[suppression])}`)
    .join(", also ");
}

const section = (title: string, rows: Parameters<typeof toTable>[0], empty: string): string =>
  `\n${title}:${rows.length === 0 ? ` ${empty}` : `\n${indent(toTable(rows))}`}`;
const indent = (text: string): string => text.replace(/^/gm, "  ");

const campaignRow = ({ campaign, name, campaignState, state, at, code, skipped, reply }: SentCampaign) => ({
  campaign: named(campaign, name),
  state: recipientText(state, campaignState),
  at,
  code,
  why: skipped ?? reply,
});
function historyRow(entry: HistoryEntry, names: Names) {
  const { at, kind, origin, campaign, list, detail, replaced } = entry;
  const imported = importedAt(entry, names);
  const said =
    replaced === null
      ? detail
      : nameReplaced(replaced, names.fields)
          .map((one) => replacementText(replacedDocument(one)))
          .join("; ");
  return {
    time: moment(at),
    what: kind,
    origin: originName(origin, names),
    campaign: campaign === null ? null : named(campaign, names.campaigns.get(campaign)),
    list: list === null ? null : named(list, names.lists.find(({ id }) => id === list)?.name),
    detail: imported === null ? said : [`imported ${moment(imported)}`, ...(said ? [said] : [])].join("; "),
  };
}
function originName(origin: Origin, names: Names): string {
  if (origin.kind === "key") return keyName(origin.key, names.keys);
  if (origin.kind === "user") return `user ${userName(origin.user, names)}`;
  const detail = batchOf(origin) ?? operatorOf(origin);
  return detail === null ? origin.kind : `${origin.kind} ${detail}`;
}
/** The user's address. */
const userName = (id: UserId, { users }: Names): string => users.get(id) ?? `${id}`;
const named = (id: number, name: string | undefined): string =>
  name === undefined ? `${id}` : `${id} ${name}`;
