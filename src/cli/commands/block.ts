/** `mailroll block …` */
import { addBlock, listBlocks, previewBlock, removeBlock } from "#admin/blocks.ts";
import { MAX_COUNTED } from "#admin/kit/paging.ts";
import type { Command } from "../kit/command.ts";
import { everyPage } from "../kit/every-page.ts";
import { counted } from "../kit/terminal/text.ts";

const ARGUMENT = "ADDRESS-OR-@DOMAIN";
const inputs = { pattern: ARGUMENT.toLowerCase() };

export const blockCommands: readonly Command[] = [
  {
    name: "block add",
    args: [ARGUMENT],
    doc: "Blocks an address, or every address of a domain, from all lists.",
    example: "block add @example.com",
    inputs,
    run: async ({ args, performInAccount, out }) => {
      const { pattern, isNew } = await performInAccount(addBlock, { pattern: args[0] ?? "" });
      out.result({ pattern, isNew }, () => `${pattern} is ${isNew ? "" : "already "}on the block list.`);
    },
  },
  {
    name: "block preview",
    args: [ARGUMENT],
    doc: "Counts the subscribers whom a block would cover, and blocks nobody.",
    details: `At most about ${MAX_COUNTED} are counted.`,
    example: "block preview @example.com",
    inputs,
    run: async ({ args, performInAccount, out }) => {
      const { pattern, count, isMore } = await performInAccount(previewBlock, { pattern: args[0] ?? "" });
      out.result(
        { pattern, subscriberCount: count, hasMore: isMore },
        () =>
          `A block of ${pattern} would cover ${isMore ? "at least " : ""}${counted(count, "subscriber")}.`,
      );
    },
  },
  {
    name: "block remove",
    args: [ARGUMENT],
    doc: "Removes a block. Subscribers without another suppression become active again, on their former lists.",
    example: "block remove @example.com",
    inputs,
    run: async ({ args, performInAccount, out }) => {
      const { pattern } = await performInAccount(removeBlock, { pattern: args[0] ?? "" });
      out.result({ pattern }, () => `${pattern} was removed from the block list.`);
    },
  },
  {
    name: "block list",
    doc: "Lists the blocks.",
    example: "block list",
    run: async ({ performInAccount, out }) => {
      out.table(await everyPage((page) => performInAccount(listBlocks, page)), "Nothing is blocked.");
    },
  },
];
