/** Subscriber lists of an account. */
import { type List, type ListId, MAX_CHOSEN_LIST_ID } from "../domain/list.ts";
import { collect } from "../domain/pages.ts";
import * as inBatches from "../jobs/in-batches.ts";
import { action, type InAccount } from "./action.ts";
import { AlreadyExists, InvalidInput, NotFound } from "./errors.ts";
import { requireName } from "./inputs.ts";

interface OneList extends InAccount {
  readonly id: ListId;
}
interface CreateList extends InAccount {
  readonly name: string;
  /** One that programs already contain; null takes the next free one. */
  readonly id: ListId | null;
}

export const createList = action(
  "list.create",
  "editor",
  "audit log",
  async ({ store, clock, audit }, { account, name: given, id }: CreateList): Promise<List> => {
    const made = { account, name: requireName(given), at: clock(), audit };
    if (id === null) return await store.lists.create(made);
    if (id > MAX_CHOSEN_LIST_ID)
      throw new InvalidInput(
        "id",
        `must be at most ${MAX_CHOSEN_LIST_ID}: list ids are 32-bit numbers in SOAP`,
      );
    const list = await store.lists.adopt({ ...made, id });
    if (list === null)
      throw new AlreadyExists(
        `the id ${id} is already in use in this installation: a list has it, or a campaign was sent to a deleted list with this id; choose another id`,
      );
    return list;
  },
);

export const allLists = action("list.list", "viewer", "nothing", ({ store }, { account }: InAccount) =>
  collect(store.lists.all.pages({ account })),
);

export const findList = action(
  "list.show",
  "viewer",
  "nothing",
  async ({ store }, { account, id }: OneList) => {
    const lists = await collect(store.lists.all.pages({ account }));
    return existing(id, lists.find((list) => list.id === id) ?? null);
  },
);

export const renameList = action(
  "list.rename",
  "editor",
  "audit log",
  async ({ store, audit }, { account, id, name }: OneList & { readonly name: string }) =>
    existing(id, await store.lists.rename({ account, id, name: requireName(name), audit })),
);

/** Its subscribers stay in the account. `job` ends the memberships that are left; null if none is. */
export const deleteList = action(
  "list.delete",
  "owner",
  "audit log",
  async ({ store, clock, actor: { origin }, audit, continueJob }, { account, id }: OneList) => {
    const command = { account, id, at: clock(), origin, audit };
    return existing(id, await inBatches.deleteList(store, command, continueJob));
  },
);

function existing<Found>(id: ListId, list: Found | null): Found {
  if (list === null) throw new NotFound("list", id);
  return list;
}
