/** The block list of an account. A block has no id: its pattern is in the body, because URLs are logged. */
import { Type } from "typebox";
import { addBlock, listBlocks, previewBlock, removeBlock } from "#admin/blocks.ts";
import { MAX_COUNTED } from "#admin/kit/paging.ts";
import type { Block } from "#domain/block.ts";
import { jobOrNull, WithJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Input, Named, pageOfRows, Time, written } from "../kit/schemas.ts";

const Pattern = Type.String({
  description:
    "An address such as `ada@example.org`, or a domain such as `@example.org` for all its addresses.",
  examples: ["@example.com"],
});

export const blockRoutes = [
  route("GET /accounts/{account}/blocks", {
    summary: "List the blocks of an account",
    action: listBlocks,
    ...pageOfRows(Named("Block", { pattern: Pattern, createdAt: Time() }), (block: Block) => written(block)),
  }),
  route("POST /accounts/{account}/blocks", {
    summary: "Block an address, or every address of a domain",
    description:
      "The memberships of subscribers with such an address are suspended, and such an address cannot be added to a list.",
    action: addBlock,
    body: Input({ pattern: Pattern }),
    status: 202,
    reply: WithJob({
      pattern: Type.String({ description: "As it is stored." }),
      isNew: Type.Boolean({ description: "false if the block existed already." }),
    }),
    answer: ({ pattern, isNew, job }, { now }) => ({ pattern, isNew, job: jobOrNull(job, now) }),
  }),
  route("POST /accounts/{account}/blocks:preview", {
    summary: "Count the subscribers whom a block would cover",
    action: previewBlock,
    body: Input({ pattern: Pattern }),
    reply: Type.Object({
      pattern: Type.String({ description: "As it would be stored." }),
      subscriberCount: Type.Integer({ description: `At most about ${MAX_COUNTED}.` }),
      hasMore: Type.Boolean({ description: "There may be more than were counted." }),
    }),
    answer: ({ pattern, count, isMore }) => ({ pattern, subscriberCount: count, hasMore: isMore }),
  }),
  route("POST /accounts/{account}/blocks:remove", {
    summary: "Remove a block",
    description:
      "Subscribers who have no other suppression become active again, and their memberships are no longer suspended.",
    action: removeBlock,
    body: Input({ pattern: Pattern }),
    status: 202,
    reply: WithJob({ pattern: Type.String() }),
    answer: ({ pattern, job }, { now }) => ({ pattern, job: jobOrNull(job, now) }),
  }),
];
