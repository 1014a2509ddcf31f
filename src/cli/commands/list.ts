/** `mailroll list …` */
import { type List, MAX_CHOSEN_LIST_ID } from "../../domain/list.ts";
import { collect } from "../../domain/pages.ts";
import { deleteList } from "../../jobs/in-batches.ts";
import { parseId, requireName } from "../kit/arguments/arguments.ts";
import { type Command, Failure, notFound, UsageError } from "../kit/command.ts";
import { requireConfirmation, yesOption } from "../kit/confirmation.ts";
import { counted } from "../kit/terminal/numbers.ts";

const describe = ({ id, name }: List): string => `List ${id}: ${name}`;
const memberCount = (count: number): string => counted(count, "active member");

function parseListId(text: string): number {
  const id = parseId(text, "--id");
  if (id > MAX_CHOSEN_LIST_ID)
    throw new UsageError(`--id must be at most ${MAX_CHOSEN_LIST_ID}: list ids are 32-bit numbers in SOAP`);
  return id;
}

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
    inAccount: true,
    run: async ({ args, option, store, account, now, out }) => {
      const name = requireName(args[0]);
      const chosen = option("id");
      const id = chosen === undefined ? null : parseListId(chosen);
      const { id: owner } = await account();
      const made = { account: owner, name, at: now };
      const opened = await store();
      const list = id === null ? await opened.lists.create(made) : await opened.lists.adopt({ ...made, id });
      if (list === null)
        throw new Failure(
          `the id ${id} is already in use in this installation, by a list or by a campaign that was sent to it; choose another id`,
          "AlreadyExists",
        );
      out.result(list, () => describe(list));
    },
  },
  {
    name: "list list",
    args: [],
    options: {},
    doc: "Lists the subscriber lists with their numbers of active subscribers.",
    example: "list list",
    inAccount: true,
    run: async ({ store, account, out }) => {
      const { id } = await account();
      out.table(
        await collect((await store()).lists.all.pages({ account: id })),
        "There is no list yet; create one with 'mailroll list create NAME'.",
      );
    },
  },
  {
    name: "list rename",
    args: ["ID", "NAME"],
    options: {},
    doc: "Renames a list; campaigns that were already sent to it keep the old name.",
    example: "list rename 1 'Monthly news'",
    inAccount: true,
    run: async ({ args, store, account, out }) => {
      const id = parseId(args[0], "ID");
      const name = requireName(args[1]);
      const owner = await account();
      const list = await (await store()).lists.rename({ account: owner.id, id, name });
      if (list === null) throw notFound("list", id);
      out.result(list, () => describe(list));
    },
  },
  {
    name: "list delete",
    args: ["ID"],
    options: yesOption,
    doc: "Deletes a list and its memberships, after confirmation; the subscribers stay in the account.",
    example: "list delete 3 --yes",
    inAccount: true,
    run: async (context) => {
      const { args, store, account, now, out } = context;
      const id = parseId(args[0], "ID");
      const owner = await account();
      const lists = await collect((await store()).lists.all.pages({ account: owner.id }));
      const list = lists.find((one) => one.id === id);
      if (list === undefined) throw notFound("list", id);
      await requireConfirmation(context, {
        verb: "Delete",
        does: "deletes",
        done: "deleted",
        what: `list ${id} (${list.name}) with ${memberCount(list.members)}`,
        consequence: "Its subscribers stay in the account, but are no longer on this list.",
      });
      const origin = { kind: "operator" as const };
      const deleted = await deleteList(await store(), { account: owner.id, id, at: now, origin });
      if (deleted === null) throw notFound("list", id);
      out.result(list, () => `Deleted list ${id} (${list.name}), which had ${memberCount(list.members)}.`);
    },
  },
];
