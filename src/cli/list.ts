/** `mailroll list …` */
import { type List, MAX_CHOSEN_LIST_ID } from "../domain/list.ts";
import { collect } from "../domain/pages.ts";
import { deleteList } from "../operations/in-batches.ts";
import { parseId, requireName } from "./arguments.ts";
import { type Command, Failure, UsageError } from "./command.ts";

const describe = ({ id, name }: List): string => `List ${id}: ${name}`;
const unknown = (id: number): Failure => new Failure(`there is no list ${id}; see 'mailroll list list'`);
const memberCount = (count: number): string => `${count} active ${count === 1 ? "member" : "members"}`;

function parseListId(text: string): number {
  const id = parseId(text, "--id");
  if (id > MAX_CHOSEN_LIST_ID)
    throw new UsageError(`--id may be at most ${MAX_CHOSEN_LIST_ID}: callers take ids as 32-bit numbers`);
  return id;
}

export const listCommands: readonly Command[] = [
  {
    name: "list create",
    args: ["NAME"],
    options: {
      id: {
        value: "ID",
        doc: "The id that it had elsewhere, where programs have it built in (the next one).",
      },
    },
    doc: "Makes a list for subscribers.",
    example: "list create Newsletter --id 543181",
    inAccount: true,
    run: async ({ args, option, store, account, now, out }) => {
      const name = requireName(args[0]);
      const chosen = option("id");
      const id = chosen === undefined ? null : parseListId(chosen);
      const { id: owner } = await account();
      const made = { account: owner, name, at: now };
      const opened = await store();
      const list =
        id === null
          ? await opened.write("createList", made)
          : await opened.write("adoptList", { ...made, id });
      if (list === null)
        throw new Failure(`the id ${id} is taken in this installation, and ids are never used twice`);
      out.result(list, () => describe(list));
    },
  },
  {
    name: "list list",
    args: [],
    options: {},
    doc: "Lists the lists with how many active subscribers are on them.",
    example: "list list",
    inAccount: true,
    run: async ({ store, account, out }) => {
      const { id } = await account();
      out.table(
        await collect((await store()).pages("lists", { account: id })),
        "There is no list yet; make one with 'mailroll list create NAME'.",
      );
    },
  },
  {
    name: "list rename",
    args: ["ID", "NAME"],
    options: {},
    doc: "Gives a list another name; campaigns that were sent to it keep the name it had.",
    example: "list rename 1 'Monthly news'",
    inAccount: true,
    run: async ({ args, store, account, out }) => {
      const id = parseId(args[0], "ID");
      const name = requireName(args[1]);
      const owner = await account();
      const list = await (await store()).write("renameList", { account: owner.id, id, name });
      if (list === null) throw unknown(id);
      out.result(list, () => describe(list));
    },
  },
  {
    name: "list delete",
    args: ["ID"],
    options: { yes: { doc: "Do not ask." } },
    doc: "Deletes a list and its memberships, after asking; the people stay known.",
    example: "list delete 3 --yes",
    inAccount: true,
    run: async ({ args, has, store, account, now, confirm, out }) => {
      const id = parseId(args[0], "ID");
      const owner = await account();
      const lists = await collect((await store()).pages("lists", { account: owner.id }));
      const list = lists.find((one) => one.id === id);
      if (list === undefined) throw unknown(id);
      const what = `list ${id} (${list.name}) with ${memberCount(list.members)}`;
      const agreed = has("yes") || (await confirm(`Delete ${what}?`));
      if (agreed === null) throw new UsageError(`this deletes ${what}; give --yes, as nobody can be asked`);
      if (!agreed) throw new Failure("nothing was deleted");
      const origin = { kind: "operator" as const };
      const deleted = await deleteList(await store(), { account: owner.id, id, at: now, origin });
      if (deleted === null) throw unknown(id);
      out.result(list, () => `Deleted list ${id} (${list.name}), which had ${memberCount(list.members)}.`);
    },
  },
];
