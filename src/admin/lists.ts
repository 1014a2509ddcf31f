/** Subscriber lists of an account. */
import type { Campaign } from "#domain/campaign.ts";
import { type List, type ListId, MAX_CHOSEN_LIST_ID } from "#domain/list.ts";
import * as inBatches from "#jobs/in-batches.ts";
import { type Admin, audited, type InAccount, query } from "./kit/action.ts";
import { existing, type NotPossible, stillNeeded } from "./kit/errors.ts";
import { idTaken, requireChosenId, requireName } from "./kit/inputs.ts";
import { listing } from "./kit/paging.ts";

interface OneList extends InAccount {
  readonly id: ListId;
}
interface CreateList extends InAccount {
  readonly name: string;
  /** An id that programs already contain, for administrators; null takes the next free one. */
  readonly id: ListId | null;
}

export const createList = audited(
  "list.create",
  "editor",
  async ({ store, actor, clock, audit }, { account, name: given, id }: CreateList): Promise<List> => {
    const made = { account, name: requireName(given), at: clock(), audit };
    if (id === null) return await store.lists.create(made);
    requireChosenId(actor, id, MAX_CHOSEN_LIST_ID, ": list ids are 32-bit numbers in SOAP");
    const list = await store.lists.adopt({ ...made, id });
    if (list === null) throw idTaken();
    return list;
  },
);

export const listLists = listing("list.list", ({ lists }) => lists.all);

export const findList = query("list.show", "viewer", async ({ store }, one: OneList) =>
  existing("list", one.id, await store.lists.byId(one)),
);

export const renameList = audited(
  "list.rename",
  "editor",
  async ({ store, audit }, { account, id, name }: OneList & { readonly name: string }) =>
    existing("list", id, await store.lists.set({ account, id, name: requireName(name), audit })),
);

/** What would be deleted: the list, and how many campaigns name it. Also if its deletion was interrupted. */
export const showListToDelete = query("list.deletion", "owner", async ({ store }, one: OneList) => {
  const found = existing("list", one.id, await store.lists.deletion(one));
  if (found.neededBy !== null) throw needed(one.id, found.neededBy);
  return found;
});

/** Its subscribers stay in the account. `job` ends the memberships that are left; null if none is. */
export const deleteList = audited(
  "list.delete",
  "owner",
  async ({ store, clock, actor: { origin }, audit, continueJob }, { account, id }: OneList) => {
    const command = { account, id, at: clock(), origin, audit };
    const deleted = existing("list", id, await inBatches.deleteList(store, command, continueJob));
    if ("neededBy" in deleted) throw needed(id, deleted.neededBy);
    return deleted;
  },
);

const needed = (id: ListId, campaign: Campaign): NotPossible =>
  stillNeeded(`list ${id}`, campaign, "includes or excludes it");

/** Checks that a list exists; `input` is the argument that names it. */
export const requireList = async ({ store }: Admin, one: OneList, input: string): Promise<List> =>
  existing("list", one.id, await store.lists.byId(one), input);
