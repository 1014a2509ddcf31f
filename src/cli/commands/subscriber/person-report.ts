/**
 * The data that an account stores about a subscriber, as a report for that person, without technical terms.
 */

import type { personDocument, Replaced } from "#admin/subscribers/person-document.ts";
import type { Account } from "#domain/account.ts";
import { isLeftOut } from "#domain/sending/mailing.ts";
import { type SuppressionKind, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { meaningOf } from "../../kit/outcome.ts";
import { formatNumber, oneLine, wrap, wrapColumns } from "../../kit/terminal/text.ts";
import { basicLabels, labelOf } from "./set.ts";

export type PersonDocument = ReturnType<typeof personDocument> & {
  readonly account: Pick<Account, "id" | "name">;
};
type Subscriber = NonNullable<PersonDocument["subscriber"]>;
type HistoryItem = Subscriber["history"][number];
type Sent = PersonDocument["campaigns"][number];

/** Fixed, because the report is passed on as a file. */
const WIDTH = 80;

const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium", timeZone: "UTC" });
const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const countries = new Intl.DisplayNames("en", { type: "region" });
const time = (at: number | string): string => times.format(new Date(at));
const quoted = (text: string): string => `“${oneLine(text)}”`;

const genders: Readonly<Record<string, string>> = { M: "male", F: "female", X: "other" };

const events: Readonly<Record<string, (list: string) => string>> = {
  joined: (list) => `You were added to the list ${list}.`,
  left: (list) => `You were removed from the list ${list}.`,
  unsubscribed: () => "You were unsubscribed from everything.",
  bounced: () => "A message to your address could not be delivered.",
  complained: () => "It was recorded that you reported a message as spam.",
  blocked: () => "Your address was blocked, so that nothing is sent to it.",
  unblocked: () => "The block of your address was removed.",
  reactivated: () => "Your address was activated again.",
  changed: () => "Stored data about you was changed.",
  undone: (list) =>
    list === ""
      ? "An import of data about you was undone."
      : `An import was undone, and you were removed from the list ${list}.`,
};
const suppressionTexts: Readonly<Record<SuppressionKind, string>> = {
  unsubscribed: "you unsubscribed",
  bounced: "a message to your address could not be delivered",
  complained: "you reported a message as spam",
  blocked: "your address was blocked",
};
const sentTexts: Readonly<Record<string, string>> = {
  queued: "waits to be sent to you",
  sending: "is being sent to you",
  sent: "was sent to you",
  deferred: "could not be delivered yet, and is tried again",
  failed: "could not be delivered",
  skipped: "was not sent to you",
  unknown: "was sent, but it is not known whether it arrived",
};
const campaignTexts: Readonly<Record<string, string>> = {
  unsubscribed: "you unsubscribed",
  bounced: "the message could not be delivered to your address",
  complained: "you reported the message as spam",
};

const program = (id: number | string | null, name: string | null, hint: string | null = null): string =>
  name === null
    ? `the program with access key ${id}${hint === null ? "" : ` (${oneLine(hint)}…)`}`
    : `the program ${quoted(name)}`;

/** Who or what made a change; null: an actor of a kind that is not known any more. */
function doer(actor: HistoryItem["actor"] | null, account: string): string {
  if (actor === null) return "a program";
  const { kind, id, name } = actor;
  const staff = `staff of ${account}${name === null ? "" : ` (${oneLine(name)})`}`;
  const texts: Readonly<Record<typeof kind, string>> = {
    key: program(id, name),
    link: "you, by a link in a message",
    bounce: "the mail system",
    import: `an import of a file${id === null ? "" : ` (no. ${id})`} by ${account}`,
    operator: staff,
    user: staff,
  };
  return texts[kind];
}

export function personReport(document: PersonDocument): string {
  const { account, email, subscriber, remainingSuppressions: kept } = document;
  const name = oneLine(account.name);
  const parts = [
    wrap(`What ${name} has stored about ${oneLine(email)}`, WIDTH),
    `As of ${time(document.exportedAt)}. All times are UTC.`,
    ...(subscriber === null ? [] : personParts(subscriber, document.campaigns, name)),
    ...providerPart(document),
    ...(kept === null ? [] : [erasedPart(kept)]),
    ...blocksPart(document, name),
    ...userPart(document, name),
    ...refusedPart(document),
    wrap(
      "A “program” is a web shop, a form or other software that is connected with an access key. The same data is available in a machine-readable form (JSON).",
      WIDTH,
    ),
  ];
  return parts.join("\n\n");
}

const part = (title: string, text: string): string => `${title.toUpperCase()}\n\n${text}`;
const columns = (rows: readonly (readonly [string, string])[]): string => wrapColumns(rows, WIDTH);
/** One paragraph per entry, because sentences do not fit into columns. */
const entries = (texts: readonly string[]): string =>
  texts.map((text) => `  - ${wrap(text, WIDTH, "    ")}`).join("\n");

function personParts(person: Subscriber, campaigns: readonly Sent[], account: string): readonly string[] {
  const { values, lists, history, campaignResults } = person;
  const basics: readonly (readonly [string, string | null])[] = [
    [basicLabels.email, person.email],
    [basicLabels.firstName, person.firstName],
    [basicLabels.lastName, person.lastName],
    [
      basicLabels.gender,
      person.gender === null ? null : `${genders[person.gender] ?? person.gender} (${person.gender})`,
    ],
    [basicLabels.birthday, person.birthday === null ? null : birthday(person.birthday)],
    [basicLabels.country, person.country === null ? null : country(person.country)],
    ["Stored since", time(person.createdAt)],
  ];
  const shown = basics.flatMap(([label, value]) =>
    value === null || value === "" ? [] : [[label, oneLine(value)] as const],
  );
  return [
    part("About you", columns(shown)),
    ...(values.length === 0
      ? []
      : [part("More about you", entries(values.map((one) => valueText(one, account))))]),
    part("Are messages sent to you?", wrap(stateText(person), WIDTH)),
    part("Lists that you are on", lists.length === 0 ? "None." : entries(lists.map(listText))),
    part(
      "What happened, oldest first",
      history.length === 0
        ? "Nothing was recorded."
        : entries(history.map((one) => historyText(one, account))),
    ),
    ...(campaigns.length === 0 ? [] : [part("Mailings", entries(campaigns.map(sentText)))]),
    ...(campaignResults.length === 0
      ? []
      : [
          part(
            "Mailings that you reacted to",
            entries(
              campaignResults.map(
                ({ campaign, event, at, joinedAt }) =>
                  `${quoted(campaign.name)}: ${campaignTexts[event] ?? event}, ${time(at)}. You were subscribed since ${time(joinedAt)}.`,
              ),
            ),
          ),
        ]),
  ];
}

function answerText({ state, code, reply }: Pick<Sent, "state" | "code" | "reply">): string {
  const answer = [code === null || state === "sent" ? null : String(code), reply].filter(
    (one) => one !== null,
  );
  return answer.length === 0 ? "" : ` The mail system answered: ${quoted(answer.join(" "))}.`;
}
function sentText({ campaign, skipReason, earlier, ...sent }: Sent): string {
  const why = skipReason === null ? "" : ` (${skipReason})`;
  const before =
    earlier === null
      ? ""
      : ` Before it was tried again, it ${sentTexts[earlier.state] ?? earlier.state}, ${time(earlier.at)}.${answerText(earlier)}`;
  const became = isLeftOut(sent.state, campaign.state)
    ? "was not sent to you, because it was cancelled"
    : `${sentTexts[sent.state] ?? sent.state}${why}, ${time(sent.at)}`;
  return `${quoted(campaign.name)} ${became}.${answerText(sent)}${before}`;
}

const isPending = ({ status }: Subscriber["lists"][number]): boolean => status === "pending";
const listText = (list: Subscriber["lists"][number]): string =>
  `${quoted(list.name)}, since ${time(list.joinedAt)}${isPending(list) ? "; you have not confirmed it yet" : ""}.`;

const birthday = (date: string): string => {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? date : days.format(at);
};
function country(code: string): string {
  const name = /^[A-Z]{2}$/.test(code) ? countries.of(code) : undefined;
  return name === undefined ? code : `${name} (${code})`;
}

function valueText({ field, value, at, actor }: Subscriber["values"][number], account: string): string {
  const from = actor === null ? "" : `, from ${doer(actor, account)}`;
  return `${oneLine(field.name)}: ${oneLine(value)}. Stored ${time(at)}${from}.`;
}

const reasons = (held: Subscriber["suppressions"]): readonly string[] =>
  suppressionKinds.flatMap((kind) => {
    const since = held[kind];
    return since === null ? [] : [`${suppressionTexts[kind]} (${time(since)})`];
  });

function stateText({ suppressions, lists }: Subscriber): string {
  const held = reasons(suppressions);
  if (held.length > 0) return `No, because ${held.join(", and ")}.`;
  if (lists.some(({ isCounted }) => isCounted))
    return lists.some(isPending)
      ? "Yes, messages to those of the lists below that you have confirmed."
      : "Yes, messages to the lists below.";
  return lists.length === 0
    ? "No, because you are on no list."
    : "No, because you have not confirmed your subscription yet.";
}

function historyText(item: HistoryItem, account: string): string {
  const list = item.list === null ? "" : quoted(item.list.name ?? `no. ${item.list.id}, which was deleted`);
  const { campaign, detail, replaced } = item;
  return [
    `${time(item.at)}: ${events[item.kind]?.(list) ?? `${item.kind}.`}`,
    ...(item.importedAt === null ? [] : [`Imported on ${time(item.importedAt)}.`]),
    ...(replaced ?? []).map(replacedText),
    ...(campaign === null ? [] : [`Mailing: ${quoted(campaign.name ?? `no. ${campaign.id}`)}.`]),
    ...(detail === null ? [] : [`Note: ${oneLine(detail)}.`]),
    `Done by ${doer(item.actor, account)}.`,
  ].join(" ");
}

function replacedText(one: Replaced): string {
  const label = oneLine(labelOf(one.field));
  if (one.old === null) return `${label}: ${quoted(one.new ?? "")} was added.`;
  if (one.new === null) return `${label}: ${quoted(one.old)} was removed.`;
  return `${label}: ${quoted(one.old)} became ${quoted(one.new)}.`;
}

const toldTexts: Readonly<Record<string, string>> = {
  bounced: "the message could not be delivered: your address does not exist, or takes no mail",
  softBounced: "the message could not be delivered this time",
  complained: "you reported the message as spam",
  unsubscribed: "you unsubscribed",
  rejected: "the message was refused for what it contains or who sent it",
};
const providerPart = ({ providerEvents }: PersonDocument): readonly string[] =>
  providerEvents.length === 0
    ? []
    : [
        part(
          "What mail providers reported in the last weeks",
          entries(
            providerEvents.map(
              ({ event, at, detail }) =>
                `${time(at)}: ${toldTexts[event] ?? event}.${detail === null ? "" : ` Note: ${quoted(detail)}.`}`,
            ),
          ),
        ),
      ];

function erasedPart(kept: Subscriber["suppressions"]): string {
  const why = reasons(kept);
  return part(
    "After your data was erased",
    wrap(
      `Your data was erased. Only two things are kept: a code that was computed from your address and from which the address cannot be read, and the reason why nothing may be sent to you: ${why.join(", and ")}. This prevents that you are added again by mistake.`,
      WIDTH,
    ),
  );
}

const blockActions: Readonly<Record<string, string>> = {
  "block.add": "The address was put on the block list.",
  "block.remove": "The address was taken off the block list.",
};
function blocksPart({ blocks, blockChanges }: PersonDocument, account: string): readonly string[] {
  const texts = [
    ...blocks.map(({ pattern, createdAt }) => {
      const what = pattern.startsWith("@")
        ? `Every address that ends in ${pattern}`
        : `The address ${pattern}`;
      return `${oneLine(what)} is blocked since ${time(createdAt)}: nothing is sent to it.`;
    }),
    ...blockChanges.map(
      ({ at, action, actor }) =>
        `${time(at)}: ${blockActions[action] ?? action} Done by ${doer(actor, account)}.`,
    ),
  ];
  return texts.length === 0 ? [] : [part("Blocks", entries(texts))];
}

const userPart = ({ user }: PersonDocument, account: string): readonly string[] =>
  user === null
    ? []
    : [
        part(
          "Your log-in",
          wrap(
            `Somebody with this address works with this software for ${account}, as ${user.role}, since ${time(user.createdAt)}${user.name === "" ? "" : `, under the name ${quoted(user.name)}`}.${user.disabledAt === null ? "" : ` The log-in was disabled ${time(user.disabledAt)}.`}`,
            WIDTH,
          ),
        ),
      ];

function refusedPart({ refusedCalls }: PersonDocument): readonly string[] {
  const texts = refusedCalls.map(({ operation, outcome, callCount, firstAt, lastAt, ...call }) => {
    const often = callCount === 1 ? "once" : `${formatNumber(callCount)} times`;
    const when = `first ${time(firstAt)}, last ${time(lastAt)}`;
    const by = call.key === null ? "a program" : program(call.key.id, call.key.name, call.key.hint);
    return `${operation}, sent ${often} by ${by}: ${when}. Refused because: ${meaningOf(outcome)} It contained: ${oneLine(JSON.stringify(call.arguments))}.`;
  });
  return texts.length === 0 ? [] : [part("Requests about you that were refused", entries(texts))];
}
