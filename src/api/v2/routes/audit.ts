/** The audit log: who changed what, in an account or in the whole installation. */
import { Type } from "typebox";
import { auditedActor } from "#admin/actor-names.ts";
import { type AuditPage, listAudit, shownValues } from "#admin/audit.ts";
import { InvalidInput } from "#admin/kit/errors.ts";
import { type AuditEntry, type AuditedValues, auditedThings } from "#domain/access/audit.ts";
import { originKinds } from "#domain/access/origin.ts";
import { ActorSchema } from "../kit/actor.ts";
import { ofInstallation, route } from "../kit/route.ts";
import {
  Collection,
  camel,
  collection,
  Id,
  Named,
  Nullable,
  OneOf,
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
  about: Type.Object({
    kind: OneOfCamel(auditedThings),
    id: Type.String(),
    name: Nullable(
      Type.String({ description: "Its name now; null: it has none, or does not exist any more." }),
    ),
  }),
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
const toEntry = (entry: AuditEntry, { names: actors, things }: AuditPage) => ({
  ...written({ ...entry, accountId: entry.account }),
  actor: auditedActor(entry, actors),
  clientAddress: entry.from,
  about: {
    kind: camel(entry.about.kind),
    id: entry.about.id,
    name: things.of(entry.account, entry.about.kind, entry.about.id),
  },
  before: toValues(entry.before),
  after: toValues(entry.after),
});

function noActor(id: string | null): null {
  if (id !== null) throw new InvalidInput("actorId", "is only taken together with actorKind");
  return null;
}

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
    actorKind: Type.Optional(OneOf(originKinds, "Only what such an actor did.")),
    actorId: Type.Optional(Id("With `actorKind`: only what this user or this key did.")),
    from: Type.Optional(Time("Only entries since then.")),
    to: Type.Optional(Time("Only entries up to then.")),
  }),
  args: ({
    params,
    query: { actorKind, actorId = null, action = null, from = null, to = null, ...page },
  }) => ({
    actor: actorKind === undefined ? noActor(actorId) : { kind: actorKind, name: actorId },
    ...{ ...params, action, since: readTimeOrNull(from), until: readTimeOrNull(to), ...pageOf(page) },
  }),
  reply: Collection(Entry),
  answer: (page) => collection(page, (entry) => toEntry(entry, page)),
});

export const auditRoutes = [
  ofAccount,
  ofInstallation(ofAccount, {
    summary: "List who changed what in all accounts, and in the installation as a whole",
  }),
];
