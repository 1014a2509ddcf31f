/** `mailroll list …` */
import { createList, deleteList, listLists, renameList, showListToDelete } from "#admin/lists.ts";
import type { List } from "#domain/list.ts";
import type { Command } from "../kit/command.ts";
import { requireConfirmation, yesOption } from "../kit/confirmation.ts";
import { listDocument } from "../kit/documents.ts";
import { everyPage } from "../kit/every-page.ts";
import { parseId } from "../kit/parse-call.ts";
import { counted } from "../kit/terminal/text.ts";

const describe = ({ id, name }: List): string => `List ${id}: ${name}`;
const memberCount = (count: number): string => counted(count, "active member");

export const listCommands: readonly Command[] = [
  {
    name: "list create",
    args: ["NAME"],
    options: {
      id: {
        value: "ID",
        doc: "The id to use, if programs already contain it (default: the next free id).",
      },
    },
    doc: "Creates a subscriber list.",
    example: "list create Newsletter --id 543181",
    run: async ({ args, option, performInAccount, out }) => {
      const id = option("id", parseId) ?? null;
      const list = await performInAccount(createList, { name: args[0] ?? "", id });
      out.result(listDocument(list), () => describe(list));
    },
  },
  {
    name: "list list",
    doc: "Lists the subscriber lists with their numbers of active subscribers.",
    example: "list list",
    run: async ({ performInAccount, out }) => {
      out.table(
        (await everyPage((page) => performInAccount(listLists, page))).map(listDocument),
        "There is no list yet; create one with 'mailroll list create NAME'.",
      );
    },
  },
  {
    name: "list rename",
    args: ["ID", "NAME"],
    doc: "Renames a list; campaigns that were already sent to it keep the old name.",
    example: "list rename 1 'Monthly news'",
    run: async ({ args, performInAccount, out }) => {
      const id = parseId(args[0], "ID");
      const list = await performInAccount(renameList, { id, name: args[1] ?? "" });
      out.result(listDocument(list), () => describe(list));
    },
  },
  {
    name: "list delete",
    args: ["ID"],
    options: yesOption,
    doc: "Deletes a list and its memberships, after confirmation; the subscribers stay in the account.",
    example: "list delete 3 --yes",
    run: async (context) => {
      const { args, perform, account, out } = context;
      const id = parseId(args[0], "ID");
      const one = { account: (await account()).id, id };
      const { list, campaigns, hasMoreCampaigns } = await perform(showListToDelete, one);
      await requireConfirmation(context, {
        verb: "Delete",
        done: "deleted",
        what: `list ${id} (${list.name}) with ${memberCount(list.members)}`,
        consequence: `Its subscribers stay in the account, but are no longer on this list.${campaigns === 0 ? "" : ` ${hasMoreCampaigns ? "At least " : ""}${counted(campaigns, "campaign")} recorded for it ${campaigns === 1 ? "stays" : "stay"}, with its name.`}`,
      });
      await perform(deleteList, one);
      out.result(
        listDocument(list),
        () => `Deleted list ${id} (${list.name}), which had ${memberCount(list.members)}.`,
      );
    },
  },
];
