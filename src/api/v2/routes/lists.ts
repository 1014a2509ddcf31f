/** The members of a list as a CSV file. */
import { Type } from "typebox";
import { exportList, exportStates } from "#admin/export.ts";
import { createList, deleteList, findList, listLists, renameList, showListToDelete } from "#admin/lists.ts";
import type { List } from "#domain/list.ts";
import { CSV, csvForm, toCsvForm } from "../kit/csv-form.ts";
import { jobOrNull, WithJob } from "../kit/jobs.ts";
import { route, streamRoute } from "../kit/route.ts";
import { Id, Input, Named, OneOf, pageOfRows, Time, written } from "../kit/schemas.ts";

/** Subscriber lists of an account. */
export const ListSchema = Named("List", {
  id: Id(),
  name: Type.String(),
  memberCount: Type.Integer({ description: "How many active subscribers are on the list." }),
  createdAt: Time(),
});
export const toList = ({ members, ...list }: List) => ({ ...written(list), memberCount: members });
const shown = { reply: ListSchema, answer: toList, thing: "list" } as const;
const Name = Type.String({ examples: ["Newsletter"] });

export const listRoutes = [
  route("GET /accounts/{account}/lists", {
    summary: "List the lists of an account",
    action: listLists,
    ...pageOfRows(ListSchema, toList),
  }),
  route("POST /accounts/{account}/lists", {
    summary: "Create a list",
    action: createList,
    body: Input({
      name: Name,
      id: Type.Optional(
        Id(
          "An id of your choice, if your programs already use it; only for administrators. If it is not given, the next free id is used.",
        ),
      ),
    }),
    args: ({ params, body: { name, id } }) => ({ ...params, name, id: id === undefined ? null : Number(id) }),
    status: 201,
    ...shown,
  }),
  route("GET /accounts/{account}/lists/{list}", {
    summary: "Show a list",
    action: findList,
    ...shown,
  }),
  route("PATCH /accounts/{account}/lists/{list}", {
    summary: "Rename a list",
    description: "Campaigns that were recorded for this list still show its old name.",
    action: renameList,
    body: Input({ name: Name }),
    ...shown,
  }),
  route("GET /accounts/{account}/lists/{list}/deletion", {
    summary: "Preview the deletion of a list",
    description:
      "Nothing is changed. A deletion ends the memberships. The subscribers stay in the account, and so does their history. Campaigns that were recorded for the list stay, with its name. 409 if a campaign that has not ended needs the list.",
    mayConflict: true,
    action: showListToDelete,
    reply: Type.Object({
      list: ListSchema,
      campaignCount: Type.Integer({ description: "How many campaigns were recorded for the list." }),
      hasMoreCampaigns: Type.Boolean({
        description: "Whether there are older campaigns that were not looked at: only the newest 10,000 are.",
      }),
    }),
    answer: ({ list, campaigns, hasMoreCampaigns }) => ({
      list: toList(list),
      campaignCount: campaigns,
      hasMoreCampaigns,
    }),
  }),
  route("DELETE /accounts/{account}/lists/{list}", {
    summary: "Delete a list",
    description: "The subscribers leave the list, but stay in the account.",
    action: deleteList,
    status: 202,
    reply: WithJob({ list: ListSchema }),
    answer: ({ list, job }, { now }) => ({ list: toList(list), job: jobOrNull(job, now) }),
    thing: "list",
    versioned: ({ list }) => list,
  }),
  streamRoute("GET /accounts/{account}/lists/{list}/export", {
    summary: "Export the subscribers of a list as CSV",
    description:
      "With `state=all`, you can import the file to restore the same data. The list is read page by page, so changes during the export may be included or not. If the connection breaks, the file is incomplete.",
    action: exportList,
    query: Type.Object({
      state: Type.Optional({
        ...OneOf(exportStates, "Which subscribers: those in this state, `pending` ones, or `all`."),
        default: "active",
      }),
      ...csvForm,
    }),
    args: ({ params, query }) => ({
      ...params,
      state: query.state ?? "active",
      ...toCsvForm(query),
    }),
    contentType: CSV,
    stream: ({ list, text }) => ({ fileName: `list-${list.id}.csv`, chunks: text(() => {}) }),
  }),
];
