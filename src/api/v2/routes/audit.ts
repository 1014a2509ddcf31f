/** The audit log: who changed what, in an account or in the whole installation. */
import { Type } from "typebox";
import { type ActorNames, auditedActor } from "#admin/actor-names.ts";
import { listAudit, shownValues } from "#admin/audit.ts";
import { type AuditEntry, type AuditedValues, auditedThings } from "#domain/access/audit.ts";
import { ActorSchema } from "../kit/actor.ts";
import { ofInstallation, route } from "../kit/route.ts";
import {
  Collection,
  camel,
  collection,
  Id,
  Named,
  Nullable,
  OneOfCamel,
  pageOf,
  pageQuery,
  readTimeOrNull,
  ServiceName,
  Time,
  textOrNull,
  time,
  written,
} from "../kit/schemas.ts";

const Value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.String()),
]);
const Values = (description: string) => Nullable(Type.Record(Type.String(), Value, { description }));
const Entry = Named("AuditEntry", {
  id: Id(),
  accountId: Nullable(Id("null: the installation as a whole.")),
  at: Time(),
  actor: ActorSchema,
  clientAddress: Nullable(
    Type.String({ description: "The IP address of the client; null on the command line." }),
  ),
  action: Type.String({ examples: ["list.delete"] }),
  about: Type.Object({ kind: OneOfCamel(auditedThings), id: Type.String() }),
  before: Values("The changed values, before the change. null: it was created by this change."),
  after: Values("The changed values, after the change. null: it was deleted by this change."),
});

/** Times, ids and words are written as everywhere in the API. */
const isWord = (name: string): boolean => ["action", "filterState", "kind", "outcome"].includes(name);
function toValue(name: string, value: AuditedValues[string]) {
  if (typeof value === "number")
    return name.endsWith("At") ? time(value) : name.endsWith("Id") ? String(value) : value;
  if (typeof value === "string") return isWord(name) ? camel(value) : textOrNull(value);
  return typeof value === "object" && value !== null ? value.map(String) : value;
}
const toValues = (values: AuditedValues | null) =>
  values === null
    ? null
    : Object.fromEntries(
        Object.entries(shownValues(values)).map(([name, value]) => [name, toValue(name, value)]),
      );
const toEntry = (entry: AuditEntry, actors: ActorNames) => ({
  ...written({ ...entry, accountId: entry.account }),
  actor: auditedActor(entry, actors),
  clientAddress: entry.from,
  about: { kind: camel(entry.about.kind), id: entry.about.id },
  before: toValues(entry.before),
  after: toValues(entry.after),
});

const ofAccount = route("GET /accounts/{account}/audit-log", {
  summary: "List who changed what in an account",
  description:
    "Newest first. Changes of a single subscriber are not here, but in the history of that subscriber.",
  action: listAudit,
  query: Type.Object({
    ...pageQuery,
    action: Type.Optional(
      ServiceName({ description: "Only entries of this action, such as `list.delete`." }),
    ),
    from: Type.Optional(Time("Only entries since then.")),
    to: Type.Optional(Time("Only entries up to then.")),
  }),
  args: ({ params, query: { action = null, from = null, to = null, ...page } }) => ({
    ...{ ...params, action, since: readTimeOrNull(from), until: readTimeOrNull(to), ...pageOf(page) },
  }),
  reply: Collection(Entry),
  answer: (page) => collection(page, (entry) => toEntry(entry, page.names)),
});

export const auditRoutes = [
  ofAccount,
  ofInstallation(ofAccount, {
    summary: "List who changed what in all accounts, and in the installation as a whole",
  }),
];
