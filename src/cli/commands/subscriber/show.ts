/** `mailroll subscriber show`: answers the question "what happened to this address?". */
import type { Names } from "#admin/subscribers/names.ts";
import { nameReplaced } from "#admin/subscribers/replaced.ts";
import { batchOf, type Origin, operatorOf } from "#domain/access/origin.ts";
import type { UserId } from "#domain/access/user.ts";
import type { SubscriberRecord } from "#domain/ports/subscribers.ts";
import type { HistoryEntry } from "#domain/subscriber/history.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import type { Context } from "../../kit/command.ts";
import { keyName } from "../../kit/key-name.ts";
import { moment, toTable } from "../../kit/terminal/output.ts";
import { oneLine } from "../../kit/terminal/terminal-text.ts";
import { basicLabels, replacementText } from "./basic-labels.ts";
import { recordDocument, replacedDocument } from "./person-document.ts";
import { wholeRecord } from "./whole-record.ts";

export async function subscriberShow(context: Context): Promise<void> {
  const { args, account, out } = context;
  const { record, names } = await wholeRecord(context, (await account()).id, args[0] ?? "");
  out.result(recordDocument(record, names), () => page(record, names));
}

function page(record: SubscriberRecord, names: Names): string {
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

const historyRow = ({ at, kind, origin, campaign, list, detail, replaced }: HistoryEntry, names: Names) => ({
  time: moment(at),
  what: kind,
  origin: originName(origin, names),
  campaign: campaign === null ? null : named(campaign, names.campaigns.get(campaign)),
  list: list === null ? null : named(list, names.lists.find(({ id }) => id === list)?.name),
  detail:
    replaced === null
      ? detail
      : nameReplaced(replaced, names.fields)
          .map((one) => replacementText(replacedDocument(one)))
          .join("; "),
});
function originName(origin: Origin, names: Names): string {
  if (origin.kind === "key") return keyName(origin.key, names.keys);
  if (origin.kind === "user") return `user ${userName(origin.user, names)}`;
  const detail = batchOf(origin) ?? operatorOf(origin);
  return detail === null ? origin.kind : `${origin.kind} ${detail}`;
}
/** The user's address. */
export const userName = (id: UserId, { users }: Names): string => users.get(id) ?? `${id}`;
const named = (id: number, name: string | undefined): string =>
  name === undefined ? `${id}` : `${id} ${name}`;
