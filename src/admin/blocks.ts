/** The block list of an account. */
import { parsePattern, patternProblem } from "#domain/block.ts";
import * as inBatches from "#jobs/in-batches.ts";
import { bareAddress } from "#transfer/values/mailbox.ts";
import { audited, type InAccount, query } from "./kit/action.ts";
import { InvalidInput, NotFound } from "./kit/errors.ts";
import { listing } from "./kit/paging.ts";
import { countFound } from "./subscribers/bulk.ts";

interface OneBlock extends InAccount {
  /** An address, or @ and a domain. */
  readonly pattern: string;
}

function requirePattern(given: string): string {
  const bare = bareAddress(given);
  if (bare.startsWith("*"))
    throw new InvalidInput(
      "pattern",
      "must not contain *; to block every address of a domain, give '@example.org'",
    );
  const pattern = parsePattern(bare);
  if (pattern === null)
    throw new InvalidInput(
      "pattern",
      `cannot be blocked: ${patternProblem(bare)}; give an address such as ada@example.org, or @ and a domain such as @example.org`,
    );
  return pattern;
}

/** How many subscribers have such an address, as far as that is counted. */
export const previewBlock = query(
  "block.preview",
  "viewer",
  async ({ store }, { account, pattern: given }: OneBlock) => {
    const pattern = requirePattern(given);
    const address = pattern.startsWith("@") ? { domain: pattern.slice(1) } : { is: pattern };
    const { count, isMore } = await countFound(store, {
      ...{ account, address },
      ...{ name: null, state: null, list: null, filter: [] },
    });
    return { pattern, count, isMore };
  },
);

/**
 * `isNew` is false if the block existed. `job` blocks the subscribers that are left; null if none is.
 */
export const addBlock = audited(
  "block.add",
  "editor",
  async ({ store, clock, actor: { origin }, audit, continueJob }, { account, pattern: given }: OneBlock) => {
    const pattern = requirePattern(given);
    const command = { account, at: clock(), origin, pattern, audit };
    const { isChanged, job } = await inBatches.addBlock(store, command, continueJob);
    return { pattern, isNew: isChanged, job };
  },
);

export const removeBlock = audited(
  "block.remove",
  "editor",
  async ({ store, clock, actor: { origin }, audit, continueJob }, { account, pattern: given }: OneBlock) => {
    const pattern = requirePattern(given);
    const command = { account, at: clock(), origin, pattern, audit };
    const { isChanged, job } = await inBatches.removeBlock(store, command, continueJob);
    if (!isChanged) throw new NotFound("block", pattern);
    return { pattern, job };
  },
);

/** In order of pattern. */
export const listBlocks = listing("block.list", ({ blocks }) => blocks.all);
