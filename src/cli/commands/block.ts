/** `mailroll block …` */
import { parsePattern, patternProblem } from "../../domain/block.ts";
import { addBlock, removeBlock } from "../../jobs/in-batches.ts";
import { bareAddress } from "../../transfer/mailbox.ts";
import { type Command, Failure, UsageError } from "../kit/command.ts";

const ARGUMENT = "ADDRESS-OR-@DOMAIN";

function requirePattern(text: string | undefined): string {
  const bare = bareAddress(text ?? "");
  if (bare.startsWith("*"))
    throw new UsageError(`a block does not take *; to block every address of a domain, give '@example.org'`);
  const pattern = parsePattern(bare);
  if (pattern === null)
    throw new UsageError(
      `'${text ?? ""}' cannot be blocked: ${patternProblem(bare)}; give an address such as ada@example.org, or @ and a domain such as @example.org`,
    );
  return pattern;
}

export const blockCommands: readonly Command[] = [
  {
    name: "block add",
    args: [ARGUMENT],
    options: {},
    doc: "Blocks an address, or every address of a domain, from all lists.",
    example: "block add @example.com",
    inAccount: true,
    run: async ({ args, store, account, now, out }) => {
      const pattern = requirePattern(args[0]);
      const { id } = await account();
      const origin = { kind: "operator" as const };
      const isNew = await addBlock(await store(), { account: id, at: now, origin, pattern });
      out.result({ pattern, isNew }, () => `${pattern} is ${isNew ? "" : "already "}on the block list.`);
    },
  },
  {
    name: "block remove",
    args: [ARGUMENT],
    options: {},
    doc: "Removes a block. Subscribers without another suppression become active again, on their former lists.",
    example: "block remove @example.com",
    inAccount: true,
    run: async ({ args, store, account, now, out }) => {
      const pattern = requirePattern(args[0]);
      const { id } = await account();
      const origin = { kind: "operator" as const };
      if (!(await removeBlock(await store(), { account: id, at: now, origin, pattern })))
        throw new Failure(`${pattern} is not on the block list; see 'mailroll block list'`, "NotFound");
      out.result({ pattern }, () => `${pattern} was removed from the block list.`);
    },
  },
  {
    name: "block list",
    args: [],
    options: {},
    doc: "Lists the blocks.",
    example: "block list",
    inAccount: true,
    run: async ({ store, account, out }) => {
      const { id } = await account();
      out.table(await (await store()).blocks.all({ account: id }), "Nothing is blocked.");
    },
  },
];
