/** `…/settings/audit-log` of an account, and `/console/installation/audit-log`: who changed what. */

import { type ActorNames, namedActor } from "#admin/actor-names.ts";
import { type AuditPage, listAudit, type ThingNames, thingOfValue } from "#admin/audit.ts";
import { listKeys } from "#admin/keys/keys.ts";
import { listUsers } from "#admin/users/users.ts";
import { type AuditEntry, type AuditedThing, originOfActor } from "#domain/access/audit.ts";
import { NO_KEY } from "#domain/refused-call.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { type Option, selectField, textField } from "#html/components/fields.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { NoSuchPage } from "../kit/errors.ts";
import type { Formats } from "../kit/formats.ts";
import { allRows, neighbours } from "../kit/listing.ts";
import { type Content, type PageContext, page } from "../kit/page.ts";
import { nameOf as keyLabel } from "./integrations/key-names.ts";
import { reasonTitle } from "./refused-calls/groups.ts";
import { type AnyPageContext, settingsContent } from "./settings/settings-header.ts";
import { accountName } from "./users/users.ts";

// Days of a calendar as times, in the time zone of the user.

const DAY_MS = 86_400_000;

/** How far the clocks of the zone are ahead of UTC then. */
function offsetAt(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en", {
    ...{ timeZone, hourCycle: "h23" },
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  }).formatToParts(time);
  const [year, month, day, hour, minute, second] = (
    ["year", "month", "day", "hour", "minute", "second"] as const
  ).map((type) => Number(parts.find((part) => part.type === type)?.value));
  const local = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  return local - Math.floor(time / 1000) * 1000;
}

function startOfDay(midnight: number, timeZone: string): number {
  const guess = midnight - offsetAt(midnight, timeZone);
  // The clocks may have been changed in between.
  return midnight - offsetAt(guess, timeZone);
}

/** Of a day such as 2026-11-01: its first and its last millisecond. null: it is no day. */
export function timesOfDay(
  text: string,
  timeZone: string,
): { readonly first: number; readonly last: number } | null {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(midnight)) return null;
  return {
    first: startOfDay(midnight, timeZone),
    last: startOfDay(midnight + DAY_MS, timeZone) - 1,
  };
}

const ofKind: Readonly<Record<string, string>> = {
  key: "An API key",
  import: "An import",
  link: "A link in a mail",
  bounce: "A bounce",
  user: "A user",
};
/** Of values in the log, where the words of their names do not serve. */
const labels: Readonly<Record<string, string>> = {
  label: "Name",
  limitSubscribers: "Limit of subscribers",
  limitFields: "Limit of fields",
  expiresAt: "Expires",
  revokedAt: "Revoked",
  isPrivate: "Private",
  createdAt: "Created",
  sentAt: "Sent",
  fromAddress: "From",
  fromName: "Sender name",
  replyTo: "Replies go to",
  bounceDomain: "Domain for bounces",
  signing: "Signed by",
  dkimDomain: "DKIM domain",
  dkimSelector: "DKIM selector",
  secrets: "Passwords or private key",
  perSecond: "Limit per second",
  perDomainMinute: "Limit per domain and minute",
  perDay: "Limit per day",
  isAdministrator: "Administrator",
  disabledAt: "Disabled",
  passwordSetAt: "Password set",
  totpSince: "Second factor since",
  isTotpPending: "Second factor waits for its code",
  program: "Browser",
  begunWith: "Signed in with",
  cancelledAt: "Cancelled",
  html: "HTML",
};
const labelOf = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return labels[name] ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};
/** By the names of actions; only actions that leave an entry. */
export const actionNames: Readonly<Record<string, string>> = {
  "account.create": "Account created",
  "account.delete": "Account deleted",
  "account.rename": "Account renamed",
  "account.set": "Account changed",
  "account.dismissSteps": "First steps dismissed",
  "block.add": "Address or domain blocked",
  "block.remove": "Block removed",
  "campaign.cancel": "Campaign cancelled",
  "campaign.clearBounces": "Bounces of a campaign cleared",
  "campaign.compose": "Campaign created",
  "campaign.duplicate": "Campaign duplicated",
  "campaign.restoreVersion": "Earlier version of a draft restored",
  "campaign.delete": "Campaign deleted",
  "campaign.dryRun": "Dry run of a campaign started",
  "campaign.pause": "Campaign paused",
  "campaign.record": "Campaign recorded",
  "campaign.resume": "Campaign resumed",
  "campaign.retry": "Campaign sent again to some recipients",
  "campaign.send": "Campaign sent or scheduled",
  "campaign.set": "Campaign changed",
  "campaign.setContent": "Content of a campaign changed",
  "campaign.testSend": "Test messages of a campaign sent",
  "campaign.unschedule": "Schedule of a campaign taken back",
  "field.create": "Field created",
  "field.delete": "Field deleted",
  "field.rename": "Field renamed",
  "import.start": "Import started",
  "import.subscribers": "Subscribers imported",
  "import.suppressions": "Suppressions imported",
  "import.undo": "Undo of an import, or its dry run",
  "job.cancel": "Job cancelled",
  "key.create": "Key created",
  "key.revoke": "Key revoked",
  "key.set": "Key changed",
  "list.create": "List created",
  "list.delete": "List deleted",
  "list.rename": "List renamed",
  "me.logIn": "Logged in over the API",
  "me.acceptInvitation": "Invitation accepted",
  "me.password": "Own password changed",
  "me.session.end": "Own session ended",
  "me.set": "Own profile changed",
  "me.signIn": "Signed in",
  "me.token.create": "Own token created",
  "me.token.revoke": "Own token revoked",
  "me.totp.confirm": "Own second factor confirmed",
  "me.totp.enrol": "Own second factor set up",
  "me.totp.remove": "Own second factor removed",
  "pull.listmonk": "Taken from listmonk",
  "pull.soap": "Taken from an old service",
  "refused.dismiss": "Refused call dismissed",
  "refused.dismissGroup": "Refused calls dismissed",
  "refused.replay": "Refused call repeated",
  "refused.replayGroup": "Refused calls repeated",
  "sender.confirmWebhook": "Topic of a webhook confirmed",
  "sender.create": "Sender created",
  "sender.delete": "Sender deleted",
  "sender.newKey": "DKIM key of a sender replaced",
  "sender.removeWebhook": "Webhook of a sender removed",
  "sender.set": "Sender changed",
  "sender.setWebhook": "Webhook of a sender created",
  "sender.setWebhookKey": "Verification key of a webhook set",
  "subscriber.bulk": "Subscribers changed",
  "subscriber.bulkDryRun": "Change of subscribers tried in a dry run",
  "subscriber.erase": "Subscriber erased",
  "user.administrator": "Administrator changed",
  "user.create": "User added",
  "user.disable": "User disabled",
  "user.enable": "User enabled",
  "user.first": "First administrator created",
  "user.invitation.withdraw": "Invitation withdrawn",
  "user.invite": "User invited",
  "user.link": "Sign-in link made",
  "user.password": "Password of a user set",
  "user.role": "Role changed",
  "user.session.end": "Session of a user ended",
  "user.set": "User changed",
  "user.token.create": "Token for a user created",
  "user.token.revoke": "Token of a user revoked",
  "user.totp.confirm": "Second factor of a user confirmed",
  "user.totp.enrol": "Second factor of a user set up",
  "user.totp.remove": "Second factor of a user reset",
};

/** One entry of the audit log in words, with links to what it is about and to who did it. */
type Value = NonNullable<AuditEntry["before"]>[string];

/** Where the pages of things are, in their account. */
const pathsInAccount: Partial<Record<AuditedThing, (id: string) => string>> = {
  account: () => "/settings",
  block: () => "/settings/blocks",
  campaign: (id) => `/campaigns/${id}`,
  field: () => "/fields",
  import: (id) => `/imports/${id}`,
  job: (id) => `/jobs/${id}`,
  key: (id) => `/integrations/${id}`,
  list: (id) => `/lists/${id}`,
  "refused call": (id) => `/refused-calls/${id}`,
  sender: (id) => `/settings/senders/${id}`,
};

/** The page of a user: in the account of the page, or in the installation. */
const userLink = ({ link, account }: AnyPageContext, id: string): string =>
  link(account === null ? `/installation/users/${id}` : `/settings/users/${id}`);

/** null: there is no page, or not any more. */
function linkOf(context: AnyPageContext, { about, account, after }: AuditEntry): string | null {
  const { kind, id } = about;
  if (kind === "user") return userLink(context, id);
  if (kind === "sign-in link") return id === "0" ? null : userLink(context, id);
  const path = pathsInAccount[kind];
  const isGone = after === null && kind !== "block";
  return path === undefined || account === null || isGone ? null : `${context.base}/${account}${path(id)}`;
}

/** Of what was created or deleted, the entry has the name that it had. */
const nameWithin = ({ before, after }: AuditEntry): string | null => {
  const { name, label, email } = { ...before, ...after };
  return [name, label, email].find((one) => typeof one === "string" && one !== "") as string | null;
};

/** By its name, or by its kind and id if it has none. */
function thingText(entry: AuditEntry, things: ThingNames): Html | string {
  const { account, about } = entry;
  const { kind, id } = about;
  if (kind === "block") return isolated(id);
  const name = things.of(account, kind === "sign-in link" ? "user" : kind, id) ?? nameWithin(entry);
  return name == null ? `${kind === "sign-in link" ? "link for user" : kind} ${id}` : isolated(name);
}

function whatText(context: AnyPageContext, entry: AuditEntry, things: ThingNames): Html {
  const said = actionNames[entry.action] ?? entry.action;
  const href = linkOf(context, entry);
  const thing = thingText(entry, things);
  return html`<span class="lines"><span>${said}</span><small>${
    href === null ? thing : html`<a href="${href}">${thing}</a>`
  }</small></span>`;
}

const isTime = (name: string): boolean => name.endsWith("At") || name === "totpSince";

/** A thing that a value names by its id, with a link if it still exists. */
function mentioned(
  context: AnyPageContext,
  { account }: AuditEntry,
  things: ThingNames,
  kind: AuditedThing,
  id: number,
): Insert {
  const name = things.of(account, kind, id);
  if (kind === "user") return html`<a href="${userLink(context, String(id))}">${name ?? String(id)}</a>`;
  const path = pathsInAccount[kind];
  if (name === null || path === undefined || account === null) return `${kind} ${id}`;
  return html`<a href="${context.base}/${account}${path(String(id))}">${isolated(name)}</a>`;
}

function valueText(
  context: AnyPageContext,
  entry: AuditEntry,
  things: ThingNames,
  name: string,
  value: Value | undefined,
): Insert {
  const { number, dateTime }: Formats = context.formats;
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (name === "outcome" && typeof value === "string") return reasonTitle(value);
  const kind = thingOfValue(name);
  if (typeof value === "number") {
    if (name === "key" && value === NO_KEY) return "unknown";
    if (kind !== null) return mentioned(context, entry, things, kind, value);
    return isTime(name) ? dateTime(value) : name.startsWith("limit") ? number(value) : String(value);
  }
  // In one line: the end of a line would end the isolation of what is written from right to left.
  if (typeof value !== "string")
    return value.map((one, at) => {
      const said =
        kind !== null && typeof one === "number" ? mentioned(context, entry, things, kind, one) : String(one);
      return html`${at === 0 ? null : ", "}${said}`;
    });
  const lines = value.split("\n").map((line) => line.trim());
  return isolated(lines.filter((line) => line !== "").join(", "));
}

/** What has changed, one line each; of what was created or deleted, what it was. */
function changeText(context: AnyPageContext, entry: AuditEntry, things: ThingNames): Html | null {
  const { before, after } = entry;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  // Of what is new or gone, that something is not set or not so goes without saying.
  const isChange = before !== null && after !== null;
  const isSaid = (name: string): boolean => {
    const value = (before ?? after)?.[name] ?? "";
    return isChange || (value !== "" && value !== false);
  };
  const lines = names.filter(isSaid).map((name) => {
    const label = labelOf(name);
    const value = (values: AuditEntry["before"]): Insert =>
      valueText(context, entry, things, name, values?.[name]);
    const said = isChange
      ? html`${value(before)} <span aria-label="becomes">→</span> <strong>${value(after)}</strong>`
      : value(before ?? after);
    return html`<span>${label}: ${said}</span>`;
  });
  return lines.length === 0 ? null : html`<span class="lines">${lines}</span>`;
}

function whoText(context: AnyPageContext, { actor, account }: AuditEntry, names: ActorNames): Insert {
  const origin = originOfActor(actor);
  if (actor.kind === "operator")
    return actor.name === null ? "Command line" : `${isolated(actor.name)} at the command line`;
  const { id, name } = origin === null ? { id: null, name: null } : namedActor(origin, names);
  const label = name ?? (id === null ? null : `${actor.kind} ${id}`) ?? ofKind[actor.kind] ?? actor.kind;
  if (actor.kind === "user" && id !== null) return html`<a href="${userLink(context, id)}">${label}</a>`;
  if (actor.kind === "key" && id !== null && account !== null)
    return html`<a href="${context.base}/${account}/integrations/${id}">${label}</a>`;
  return label;
}

const PAGE = 50;

/** Ids, names of actions and days say nothing about a person, so they are in the address. */
const filterOf = ({ query }: AnyPageContext) => ({
  by: query.get("by") ?? "",
  action: query.get("action") ?? "",
  from: query.get("from") ?? "",
  to: query.get("to") ?? "",
});
type Filter = ReturnType<typeof filterOf>;

const options = [
  { value: "", label: "Any action" },
  ...Object.entries(actionNames)
    .map(([value, label]) => ({ value, label }))
    .sort((one, other) => one.label.localeCompare(other.label, "en")),
];

/** In the address: the kind of actor, and the id of a user or of a key. */
const BY = /^(user|key|operator)(?:-(\d{1,15}))?$/;
function actorOf({ by }: Filter): AuditEntry["actor"] | null {
  if (by === "") return null;
  const [, kind, name = null] = BY.exec(by) ?? [];
  if (kind === undefined) throw new NoSuchPage();
  return { kind: kind as "user" | "key" | "operator", name };
}

/** Users and keys; also the one that was chosen, whoever that is. */
async function actorOptions(context: AnyPageContext, { by }: Filter): Promise<readonly Option[]> {
  const { account } = context;
  const users = await allRows(context, listUsers);
  const keys = account === null ? [] : await allRows(context as PageContext<"/{account}">, listKeys);
  const all = [
    { value: "", label: "Anybody" },
    { value: "operator", label: "Command line" },
    ...users.map(({ id, email }) => ({ value: `user-${id}`, label: email })),
    ...keys.map((key) => ({ value: `key-${key.id}`, label: `Key ${keyLabel(key)}` })),
  ];
  return all.some(({ value }) => value === by) ? all : [...all, { value: by, label: by.replace("-", " ") }];
}

async function filterForm(context: AnyPageContext, filter: Filter): Promise<Html> {
  const { by, action, from, to } = filter;
  const day = (name: string, label: string, value: string): Html =>
    textField({ name, label, value, type: "date", isOptional: true, width: "medium" });
  return html`<form method="get" class="inline-form" role="search" aria-label="Audit log">${selectField({
    name: "by",
    label: "Who",
    value: by,
    options: await actorOptions(context, filter),
    isOptional: true,
  })}${selectField({
    name: "action",
    label: "Action",
    value: action,
    options,
    isOptional: true,
  })}${day("from", "From", from)}${day("to", "To", to)}${button({ label: "Filter" })}${
    by + action + from + to === ""
      ? null
      : buttonLink({ label: "Reset", href: context.path, emphasis: "quiet" })
  }</form>`;
}

function entries(context: AnyPageContext, { rows, names, things }: AuditPage): Html {
  const { formats, account } = context;
  return table({
    caption: "Audit log",
    rows,
    columns: [
      { label: "What", cell: (entry) => whatText(context, entry, things) },
      { label: "Change", cell: (entry) => changeText(context, entry, things) },
      ...(account === null
        ? [
            {
              label: "Account",
              cell: ({ account: id }: AuditPage["rows"][number]) =>
                id === null
                  ? null
                  : html`<a href="${context.base}/${id}/settings">${accountName(context, id)}</a>`,
            },
          ]
        : []),
      { label: "Who", cell: (entry) => whoText(context, entry, names) },
      { label: "IP address", cell: ({ from }) => from, isMinor: true },
      { label: "When", cell: ({ at }) => formats.time(at) },
    ],
  });
}

async function show(context: AnyPageContext): Promise<Content> {
  const { list, formats, path } = context;
  const filter = filterOf(context);
  const found = await list(listAudit, {
    actor: actorOf(filter),
    action: filter.action === "" ? null : filter.action,
    since: timesOfDay(filter.from, formats.timeZone)?.first ?? null,
    until: timesOfDay(filter.to, formats.timeZone)?.last ?? null,
    limit: PAGE,
  });
  const { rows, next, previous } = found;
  const isFiltered = Object.values(filter).some((value) => value !== "");
  const nothing = isFiltered
    ? {
        title: "No entry matches",
        text:
          next === null
            ? "Choose somebody else, another action, or other days."
            : "None among those that were looked through so far. There are older entries.",
      }
    : {
        title: "Nothing was changed yet",
        text: "Every change that a user, a key or the command line makes is recorded here.",
      };
  return settingsContent(
    context,
    "/audit-log",
    "Audit log",
    html`${await filterForm(context, filter)}
${rows.length === 0 ? emptyState({ ...nothing, icon: "clock" }) : entries(context, found)}
${
  rows.length === 0 && next === null && previous === null
    ? null
    : pager({
        text: formats.count(rows.length, "entry", "entries, newest first"),
        ...neighbours(path, { previous, next }, filter),
      })
}`,
  );
}

export const auditLogPages = [
  page({ path: "/{account}/settings/audit-log", role: "owner", show }),
  page({ path: "/installation/audit-log", role: "administrator", show }),
];
