/** One entry of the audit log in words, with links to what it is about and to who did it. */
import { type ActorNames, namedActor } from "#admin/actor-names.ts";
import { type AuditEntry, type AuditedThing, originOfActor } from "#domain/access/audit.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import type { Formats } from "../../kit/formats.ts";
import type { AnyVisit } from "../settings/place.ts";
import * as texts from "./audit-log.texts.ts";

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
const userLink = ({ link, account }: AnyVisit, id: string): string =>
  link(account === null ? `/installation/users/${id}` : `/settings/users/${id}`);

/** null: there is no page, or not any more. */
function linkOf(visit: AnyVisit, { about, account, after }: AuditEntry): string | null {
  const { kind, id } = about;
  if (kind === "user") return userLink(visit, id);
  if (kind === "sign-in link") return id === "0" ? null : userLink(visit, id);
  const path = pathsInAccount[kind];
  const isGone = after === null && kind !== "block";
  return path === undefined || account === null || isGone ? null : `${visit.base}/${account}${path(id)}`;
}

export function whatText(visit: AnyVisit, entry: AuditEntry): Html {
  const { kind, id } = entry.about;
  const said = texts.actions[entry.action] ?? entry.action;
  const href = linkOf(visit, entry);
  const thing = `${texts.things[kind]} ${id}`;
  return html`<span class="lines"><span>${said}</span><small>${
    href === null ? thing : html`<a href="${href}">${thing}</a>`
  }</small></span>`;
}

const isTime = (name: string): boolean => name.endsWith("At") || name === "totpSince";

function valueText(
  visit: AnyVisit,
  name: string,
  value: Value | undefined,
  { number, dateTime }: Formats,
): Insert {
  if (value === null || value === undefined || value === "") return texts.none;
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  if (typeof value === "number") {
    if (name === "user") return html`<a href="${userLink(visit, String(value))}">${String(value)}</a>`;
    return isTime(name) ? dateTime(value) : name.startsWith("limit") ? number(value) : String(value);
  }
  // In one line: the end of a line would end the isolation of what is written from right to left.
  if (typeof value !== "string") return value.join(", ");
  const lines = value.split("\n").map((line) => line.trim());
  return isolated(lines.filter((line) => line !== "").join(", "));
}

/** What has changed, one line each; of what was created or deleted, what it was. */
export function changeText(visit: AnyVisit, { before, after }: AuditEntry): Html | null {
  const { formats } = visit;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  // Of what is new or gone, that something is not set or not so goes without saying.
  const isChange = before !== null && after !== null;
  const isSaid = (name: string): boolean => {
    const value = (before ?? after)?.[name] ?? "";
    return isChange || (value !== "" && value !== false);
  };
  const lines = names.filter(isSaid).map((name) => {
    const label = texts.values[name] ?? name;
    const value = (values: AuditEntry["before"]): Insert => valueText(visit, name, values?.[name], formats);
    const said = isChange
      ? html`${value(before)} <span aria-label="${texts.readAs}">${texts.arrow}</span> <strong>${value(after)}</strong>`
      : value(before ?? after);
    return html`<span>${label}: ${said}</span>`;
  });
  return lines.length === 0 ? null : html`<span class="lines">${lines}</span>`;
}

export function whoText(visit: AnyVisit, { actor, account }: AuditEntry, names: ActorNames): Insert {
  const origin = originOfActor(actor);
  if (actor.kind === "operator")
    return actor.name === null ? texts.commandLine : texts.commandLineOf(actor.name);
  const { id, name } = origin === null ? { id: null, name: null } : namedActor(origin, names);
  const label =
    name ?? (id === null ? null : `${actor.kind} ${id}`) ?? texts.ofKind[actor.kind] ?? actor.kind;
  if (actor.kind === "user" && id !== null) return html`<a href="${userLink(visit, id)}">${label}</a>`;
  if (actor.kind === "key" && id !== null && account !== null)
    return html`<a href="${visit.base}/${account}/integrations/${id}">${label}</a>`;
  return label;
}
