/** The audit log: who changed what, in an account or in the whole installation. */
import { Type } from "typebox";
import { listAudit } from "../../../admin/audit.ts";
import { type AuditEntry, type AuditedValues, auditedThings } from "../../../domain/audit.ts";
import { originKinds } from "../../../domain/origin.ts";
import { route } from "../kit/route.ts";
import {
  Collection,
  collection,
  Id,
  Nullable,
  OneOf,
  pageOf,
  pageQuery,
  readTime,
  Time,
  time,
} from "../kit/schemas.ts";

const Value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.String()),
]);
const Values = (description: string) => Nullable(Type.Record(Type.String(), Value, { description }));
const Entry = Type.Object({
  id: Id(),
  account: Nullable(Id("null: the installation as a whole.")),
  at: Time(),
  actor: Type.Object({
    kind: OneOf(originKinds),
    name: Nullable(
      Type.String({
        description:
          "For a user: the e-mail address. For an API key: its id. On the command line: the name of the system user.",
      }),
    ),
  }),
  from: Nullable(Type.String({ description: "The IP address of the client; null on the command line." })),
  action: Type.String({ examples: ["list.delete"] }),
  about: Type.Object({ kind: OneOf(auditedThings), id: Type.String() }),
  before: Values("The changed values, before the change. null: it was created by this change."),
  after: Values("The changed values, after the change. null: it was deleted by this change."),
});

/** Times and ids are written as everywhere in the API. */
const isTime = (name: string): boolean => /(?:At|Since)$/.test(name);
const isId = (name: string): boolean => name === "list" || name === "user";
const toValue = (name: string, value: AuditedValues[string]) => {
  if (typeof value === "number") return isTime(name) ? time(value) : isId(name) ? String(value) : value;
  return typeof value === "object" && value !== null ? value.map(String) : value;
};
const toValues = (values: AuditedValues | null) =>
  values === null
    ? null
    : Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toValue(name, value)]));
const toEntry = ({ id, account, at, actor, from, action, about, before, after }: AuditEntry) => ({
  id: String(id),
  account: account === null ? null : String(account),
  at: time(at),
  actor,
  from,
  action,
  about,
  before: toValues(before),
  after: toValues(after),
});

const query = Type.Object({
  ...pageQuery,
  action: Type.Optional(Type.String({ description: "Only entries of this action, such as `list.delete`." })),
  since: Type.Optional(Time("Only entries since then.")),
});
const filterOf = ({ action, since }: { readonly action?: string; readonly since?: string }) => ({
  action: action ?? null,
  since: since === undefined ? null : readTime(since),
});
const tag = "Audit log";
const description =
  "Newest first. Changes of a single subscriber are not here, but in the history of that subscriber.";

export const auditRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/audit",
    tag,
    summary: "List who changed what in an account",
    description,
    action: listAudit,
    query,
    args: ({ params, query: given }) => ({ ...params, ...filterOf(given), ...pageOf(given) }),
    status: 200,
    reply: Collection(Entry),
    answer: (page) => collection(page, toEntry),
  }),
  route({
    method: "GET",
    path: "/audit",
    tag,
    summary: "List who changed what in all accounts, and in the installation as a whole",
    description,
    action: listAudit,
    isOfInstallation: true,
    query,
    args: ({ query: given }) => ({ account: null, ...filterOf(given), ...pageOf(given) }),
    status: 200,
    reply: Collection(Entry),
    answer: (page) => collection(page, toEntry),
  }),
];
