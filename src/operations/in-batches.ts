/**
 * Commands that may change very many subscribers run in batches, each short enough that other calls do not
 * wait long. After an interruption the same command can be repeated: it continues where it stopped.
 */
import type { List } from "../domain/list.ts";
import type { BlockCommand } from "../domain/ports/blocks.ts";
import type { DeleteList } from "../domain/ports/lists.ts";
import type { ErasedRefusals } from "../domain/ports/refusals.ts";
import type { Store } from "../domain/ports/store.ts";
import type { EraseSubscriber, Erasure } from "../domain/ports/subscribers.ts";

type WithBlocks = Pick<Store, "blocks">;

/**
 * Adds are refused from the first batch on; then the covered subscribers leave their lists. False: it existed
 * already.
 */
export async function addBlock(store: WithBlocks, command: BlockCommand): Promise<boolean> {
  const isNew = await store.blocks.add(command);
  await applyInBatches(store, command);
  return isNew;
}

/** False: there was no such block. */
export async function removeBlock(store: WithBlocks, command: BlockCommand): Promise<boolean> {
  const wasThere = await store.blocks.remove(command);
  await applyInBatches(store, command);
  return wasThere;
}

async function applyInBatches(store: WithBlocks, command: BlockCommand): Promise<void> {
  let after: number | null = 0;
  while (after !== null) after = await store.blocks.apply({ ...command, after });
}

/** The subscriber first, so that no call adds refusals about them behind the batch that is being searched. */
export async function erase(
  store: Store,
  command: EraseSubscriber,
): Promise<Erasure & { readonly refusedCalls: number }> {
  const erasure = await store.subscribers.erase(command);
  const { account, address } = command;
  let refusedCalls = 0;
  let after: number | null = 0;
  while (after !== null) {
    const { dropped, next }: ErasedRefusals = await store.refusals.erase({ account, address, after });
    refusedCalls += dropped;
    after = next;
  }
  return { ...erasure, refusedCalls };
}

/** null: there is no such list. */
export async function deleteList(store: Store, command: DeleteList): Promise<List | null> {
  while ((await store.lists.empty(command)) > 0);
  return store.lists.delete(command);
}
