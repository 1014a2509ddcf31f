/** Custom fields of an account. */
import { Type } from "typebox";
import {
  createField,
  deleteField,
  fieldUsage,
  listFields,
  MAX_COUNTED,
  renameField,
  showField,
  showFieldToDelete,
} from "#admin/fields.ts";
import { dataTypes, type Field } from "#domain/field/field.ts";
import { jobOrNull, WithJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Id, Input, Named, OneOf, pageOfRows, Time, written } from "../kit/schemas.ts";

const members = {
  id: Id(),
  name: Type.String(),
  type: OneOf(dataTypes, "The type of its values."),
  isPrivate: Type.Boolean({ description: "It is not meant to be shown to subscribers." }),
  createdAt: Time(),
};
const FieldSchema = Named("Field", members);
const toField = (field: Field) => written(field);
const shown = { reply: FieldSchema, answer: toField, thing: "field" } as const;
const Name = Type.String({ examples: ["Town"] });

export const fieldRoutes = [
  route("GET /accounts/{account}/fields", {
    summary: "List the custom fields of an account",
    description: "In the order of their creation.",
    action: listFields,
    ...pageOfRows(FieldSchema, toField),
  }),
  route("POST /accounts/{account}/fields", {
    summary: "Create a custom field",
    action: createField,
    body: Input({
      name: Name,
      type: OneOf(dataTypes, "The type of its values. It cannot be changed."),
      isPrivate: Type.Optional(Type.Boolean({ description: "If it is not given: false." })),
      id: Type.Optional(
        Id(
          "An id of your choice, if your programs already use it; only for administrators. If it is not given, the next free id is used.",
        ),
      ),
    }),
    args: ({ params, body: { id, isPrivate = false, ...rest } }) => ({
      ...params,
      ...rest,
      isPrivate,
      id: id === undefined ? null : BigInt(id),
    }),
    status: 201,
    ...shown,
  }),
  route("GET /accounts/{account}/field-usage", {
    summary: "Count the subscribers who have a value of each custom field",
    description: `The numbers are exact if the account has at most ${MAX_COUNTED} subscribers. Otherwise they are those of a random sample of about ${MAX_COUNTED / 4}, which is drawn again for each request. Fields without a value are left out.`,
    action: fieldUsage,
    reply: Type.Object({
      subscriberCount: Type.Integer({ description: "How many subscribers were looked at." }),
      hasMore: Type.Boolean({
        description: "Whether the account has more subscribers than were looked at.",
      }),
      fields: Type.Array(
        Type.Object({
          fieldId: Id(),
          valueCount: Type.Integer({ description: "How many of the subscribers have a value." }),
        }),
      ),
    }),
    answer: ({ subscribers, hasMore, counts }) => ({
      subscriberCount: subscribers,
      hasMore,
      fields: counts.map(({ field, values }) => ({ fieldId: String(field), valueCount: values })),
    }),
  }),
  route("GET /accounts/{account}/fields/{field}", {
    summary: "Show a custom field",
    action: showField,
    ...shown,
  }),
  route("PATCH /accounts/{account}/fields/{field}", {
    summary: "Rename a custom field",
    description: "The id, the type and the values of subscribers stay the same.",
    action: renameField,
    body: Input({ name: Name }),
    ...shown,
  }),
  route("GET /accounts/{account}/fields/{field}/deletion", {
    summary: "Preview the deletion of a custom field",
    description: `Shows the field, and how many values would be deleted with it. Nothing is changed. At most ${MAX_COUNTED} subscribers are looked at, in the order of addresses. 409 if the filter of a campaign that has not ended needs the field.`,
    mayConflict: true,
    action: showFieldToDelete,
    reply: Type.Object({
      ...members,
      valueCount: Type.Integer({ description: "How many of the subscribers have a value." }),
      hasMore: Type.Boolean({
        description:
          "Whether the account has more subscribers than were looked at: then more values may be deleted.",
      }),
    }),
    answer: ({ values, hasMore, ...field }) => ({ ...toField(field), valueCount: values, hasMore }),
  }),
  route("DELETE /accounts/{account}/fields/{field}", {
    summary: "Delete a custom field and all its values",
    description:
      "From then on, calls that set a value of this field are refused. The history of subscribers is kept, including old values of this field.",
    action: deleteField,
    status: 202,
    reply: WithJob({ field: FieldSchema }),
    answer: ({ field, job }, { now }) => ({ field: toField(field), job: jobOrNull(job, now) }),
    thing: "field",
    versioned: ({ field }) => field,
  }),
];
