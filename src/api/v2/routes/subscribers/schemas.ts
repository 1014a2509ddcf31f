/** A subscriber as the API shows one: in a search, and whole. */
import { type Static, Type } from "typebox";
import type { Names } from "../../../../admin/subscribers/record.ts";
import { nameReplaced } from "../../../../admin/subscribers/replaced.ts";
import { campaignEvents } from "../../../../domain/campaign.ts";
import { genders } from "../../../../domain/gender.ts";
import { type HistoryEntry, historyKinds } from "../../../../domain/history.ts";
import type { KeyId } from "../../../../domain/key.ts";
import { membershipStatuses } from "../../../../domain/membership.ts";
import { batchOf, keyOf, operatorOf, originKinds, userOf } from "../../../../domain/origin.ts";
import type {
  CampaignResult,
  FoundSubscriber,
  SubscriberRecord,
} from "../../../../domain/ports/subscribers.ts";
import { bySuppression, type Suppressions, states } from "../../../../domain/subscriber.ts";
import type { UserId } from "../../../../domain/user.ts";
import { NUMBER } from "../../kit/path.ts";
import { Id, Nullable, OneOf, Time, time, timeOrNull } from "../../kit/schemas.ts";

/** Of a list in a body or a query. */
export const ListRef = (description = "The id of the list.") =>
  Type.String({ pattern: NUMBER, description, examples: ["1"] });
export const Email = Type.String({ examples: ["ada@example.org"] });

const idOrNull = (id: number | bigint | null): string | null => (id === null ? null : String(id));
const textOrNull = (text: string): string | null => (text === "" ? null : text);
const State = OneOf(
  states,
  "`active`, or the first suppression that the subscriber has, in this order: `blocked`, `complained`, `unsubscribed`, `bounced`.",
);

export const FoundSchema = Type.Object({
  id: Id(),
  email: Type.String(),
  firstName: Nullable(Type.String()),
  lastName: Nullable(Type.String()),
  state: State,
  knownSince: Time(),
  lists: Type.Integer({
    description: "On how many lists the subscriber is, including pending and suspended memberships.",
  }),
});
export const toFound = ({ address, firstName, lastName, knownSince, ...rest }: FoundSubscriber) => ({
  ...rest,
  id: String(rest.id),
  email: address,
  firstName: textOrNull(firstName),
  lastName: textOrNull(lastName),
  knownSince: time(knownSince),
});

export const SuppressionsSchema = Type.Object(
  bySuppression(() => Nullable(Time())),
  { description: "Since when each suppression is in force; null: it is not." },
);
export const toSuppressions = (held: Suppressions) => bySuppression((kind) => timeOrNull(held[kind]));

export const KeySchema = Type.Object({
  id: Id(),
  label: Nullable(Type.String()),
  hint: Nullable(Type.String({ description: "The first four characters of the key." })),
});
export const UserSchema = Type.Object({ id: Id(), email: Nullable(Type.String()) });
export const toUser = (id: UserId | null, { users }: Names) =>
  id === null ? null : { id: String(id), email: users.get(id) ?? null };
const Reference = Type.Object({ id: Id(), name: Nullable(Type.String()) });
export const Replaced = Type.Object({
  field: Type.String({
    description: "The name of a standard value, such as `firstName`, or of a custom field.",
  }),
  fieldId: Nullable(Id()),
  old: Type.String(),
  new: Type.String(),
});
export const toReplaced = ({ fieldId, ...one }: ReturnType<typeof nameReplaced>[number]) => ({
  ...one,
  fieldId: idOrNull(fieldId),
});

export const HistorySchema = Type.Object({
  at: Time(),
  kind: OneOf(historyKinds),
  origin: OneOf(originKinds),
  key: Nullable(KeySchema),
  import: Nullable(Id()),
  operator: Nullable(Type.String({ description: "The system user who ran a command on the server." })),
  user: Nullable(UserSchema),
  campaign: Nullable(Reference),
  list: Nullable(Reference),
  detail: Nullable(Type.String()),
  replaced: Nullable(Type.Array(Replaced)),
});

export const ResultSchema = Type.Object({
  campaign: Reference,
  event: OneOf(campaignEvents),
  at: Time(),
  joinedAt: Time(),
});

export const SubscriberSchema = Type.Object({
  id: Id(),
  email: Type.String(),
  state: State,
  knownSince: Time(),
  firstName: Nullable(Type.String()),
  lastName: Nullable(Type.String()),
  gender: Nullable(OneOf(genders)),
  birthday: Nullable(Type.String({ format: "date" })),
  country: Nullable(Type.String({ description: "As ISO 3166-1 alpha-2.", examples: ["GB"] })),
  imported: Type.Array(Type.String(), {
    description: "The names of those values above that were last set by an import.",
  }),
  suppressions: SuppressionsSchema,
  values: Type.Array(
    Type.Object({
      field: Id(),
      name: Type.String(),
      value: Type.String(),
      at: Time(),
      key: Nullable(KeySchema),
      import: Nullable(Id()),
    }),
  ),
  lists: Type.Array(
    Type.Object({
      id: Id(),
      name: Type.String(),
      joinedAt: Time(),
      status: OneOf(membershipStatuses),
      counts: Type.Boolean({
        description: "Whether the membership counts: it is active, and the subscriber has no suppression.",
      }),
    }),
  ),
  history: Type.Array(HistorySchema, { description: "Oldest first." }),
  campaignResults: Type.Array(ResultSchema),
});

/** The key with the names that users know it by. */
export function toKey(id: KeyId | null, { keys }: Names) {
  if (id === null) return null;
  const key = keys.find((one) => one.id === id);
  return { id: String(id), label: key?.label ?? null, hint: key?.hint ?? null };
}
export const toHistory = ({ origin, campaign, list, replaced, ...entry }: HistoryEntry, names: Names) => ({
  ...entry,
  at: time(entry.at),
  origin: origin.kind,
  key: toKey(keyOf(origin), names),
  import: idOrNull(batchOf(origin)),
  operator: operatorOf(origin),
  user: toUser(userOf(origin), names),
  campaign: campaign === null ? null : { id: String(campaign), name: names.campaigns.get(campaign) ?? null },
  list:
    list === null
      ? null
      : { id: String(list), name: names.lists.find(({ id }) => id === list)?.name ?? null },
  replaced: replaced === null ? null : nameReplaced(replaced, names.fields).map(toReplaced),
});

export const toResult = ({ campaign, name, event, at, joinedAt }: CampaignResult) => ({
  campaign: { id: String(campaign), name },
  event,
  at: time(at),
  joinedAt: time(joinedAt),
});

export const toSubscriber = (
  { data, suppressions, values, lists, history, losses, ...record }: SubscriberRecord,
  names: Names,
): Static<typeof SubscriberSchema> => ({
  id: String(record.id),
  email: record.address,
  state: record.state,
  knownSince: time(record.knownSince),
  ...data,
  firstName: textOrNull(data.firstName),
  lastName: textOrNull(data.lastName),
  imported: [...record.imported],
  suppressions: toSuppressions(suppressions),
  values: values.map(({ field, at, key, batch, ...value }) => ({
    ...value,
    field: String(field),
    at: time(at),
    key: toKey(key, names),
    import: idOrNull(batch),
  })),
  lists: lists.map(({ id, joinedAt, ...list }) => ({ ...list, id: String(id), joinedAt: time(joinedAt) })),
  history: history.map((entry) => toHistory(entry, names)),
  campaignResults: losses.map(toResult),
});
