/** An entry of a subscriber's history, and values that were replaced. */
import { type Static, Type } from "typebox";
import type { Names } from "#admin/subscribers/names.ts";
import { type NamedReplacement, nameReplaced } from "#admin/subscribers/replaced.ts";
import { type HistoryEntry, historyKinds } from "#domain/subscriber/history.ts";
import { ActorSchema, toActor } from "../../kit/actor.ts";
import { Named } from "../../kit/named.ts";
import { Id, Nullable, OneOf, Time, textOrNull, time } from "../../kit/schemas.ts";

/** A thing that may be gone, with the name that it has now. */
export const Reference = Type.Object({
  id: Id(),
  name: Nullable(Type.String({ description: "null: it was deleted." })),
});

export const Replaced = Type.Object({
  field: Type.Object({
    id: Nullable(Id("null: a standard value, such as `firstName`.")),
    name: Type.String({ description: "Of a custom field, or of a standard value." }),
  }),
  old: Nullable(Type.String({ description: "null: there was no value." })),
  new: Nullable(Type.String({ description: "null: the value was cleared." })),
});
export const toReplaced = ({ field, fieldId, ...values }: NamedReplacement): Static<typeof Replaced> => ({
  field:
    fieldId === null
      ? { id: null, name: field === "address" ? "email" : field }
      : { id: String(fieldId), name: field },
  old: textOrNull(values.old),
  new: textOrNull(values.new),
});

export const HistorySchema = Named("HistoryEntry", {
  at: Time(),
  kind: OneOf(historyKinds),
  actor: ActorSchema,
  campaign: Nullable(Reference),
  list: Nullable(Reference),
  detail: Nullable(
    Type.String({
      description: "The reason, the suppression that was cleared, or the pattern of the block.",
    }),
  ),
  replaced: Nullable(Type.Array(Replaced, { description: "null if no values were replaced." })),
});

export const toHistory = (
  { at, kind, origin, campaign, list, detail, replaced }: HistoryEntry,
  names: Names,
): Static<typeof HistorySchema> => ({
  at: time(at),
  kind,
  actor: toActor(origin, names),
  campaign: campaign === null ? null : { id: String(campaign), name: names.campaigns.get(campaign) ?? null },
  list:
    list === null
      ? null
      : { id: String(list), name: names.lists.find(({ id }) => id === list)?.name ?? null },
  detail,
  replaced: replaced === null ? null : nameReplaced(replaced, names.fields).map(toReplaced),
});
