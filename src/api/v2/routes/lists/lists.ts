/** Subscriber lists of an account. */
import { Type } from "typebox";
import { createList, deleteList, findList, listLists, renameList, showListToDelete } from "#admin/lists.ts";
import type { List } from "#domain/list.ts";
import { jobOrNull, WithJob } from "../../kit/jobs/jobs.ts";
import { Named } from "../../kit/named.ts";
import { route } from "../../kit/route.ts";
import { Collection, collection, Id, Input, pageOf, pageQuery, Time, time } from "../../kit/schemas.ts";

export const ListSchema = Named("List", {
  id: Id(),
  name: Type.String(),
  memberCount: Type.Integer({ description: "How many active subscribers are on the list." }),
  createdAt: Time(),
});
export const toList = ({ id, name, members, createdAt }: List) => ({
  id: String(id),
  name,
  memberCount: members,
  createdAt: time(createdAt),
});
const Name = Type.String({ examples: ["Newsletter"] });
const tag = "Lists";

export const listRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/lists",
    tag,
    summary: "List the lists of an account",
    action: listLists,
    query: Type.Object(pageQuery),
    args: ({ params, query }) => ({ ...params, ...pageOf(query) }),
    status: 200,
    reply: Collection(ListSchema),
    answer: (page) => collection(page, toList),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/lists",
    tag,
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
    reply: ListSchema,
    answer: toList,
    thing: "list",
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/lists/{list}",
    tag,
    summary: "Show a list",
    action: findList,
    args: ({ params: { account, list } }) => ({ account, id: list }),
    status: 200,
    reply: ListSchema,
    answer: toList,
    thing: "list",
  }),
  route({
    method: "PATCH",
    path: "/accounts/{account}/lists/{list}",
    tag,
    summary: "Rename a list",
    description: "Campaigns that were recorded for this list still show its old name.",
    action: renameList,
    body: Input({ name: Name }),
    args: ({ params: { account, list }, body }) => ({ account, id: list, ...body }),
    status: 200,
    reply: ListSchema,
    answer: toList,
    thing: "list",
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/lists/{list}/deletion",
    tag,
    summary: "Preview the deletion of a list",
    description:
      "Nothing is changed. A deletion ends the memberships. The subscribers stay in the account, and so does their history. Campaigns that were recorded for the list stay, with its name. 409 if a campaign that has not ended needs the list.",
    mayConflict: true,
    action: showListToDelete,
    args: ({ params: { account, list } }) => ({ account, id: list }),
    status: 200,
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
  route({
    method: "DELETE",
    path: "/accounts/{account}/lists/{list}",
    tag,
    summary: "Delete a list",
    description: "The subscribers leave the list, but stay in the account.",
    action: deleteList,
    args: ({ params: { account, list } }) => ({ account, id: list }),
    status: 202,
    reply: WithJob({ list: ListSchema }),
    answer: ({ list, job }, { now }) => ({ list: toList(list), job: jobOrNull(job, now) }),
    thing: "list",
    versioned: ({ list }) => list,
  }),
];
