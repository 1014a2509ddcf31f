/**
 * Commands that may change very many subscribers run in batches, each short enough that other calls do not
 * wait long. After an interruption the same command can be repeated: it continues where it stopped.
 */
import type { List } from "../domain/list.ts";
import type { Erasure, Store, Writes } from "../domain/ports.ts";

type BlockCommand = Writes["block"]["args"];
type Writer = Pick<Store, "write">;

/**
 * Adds are refused from the first batch on; then the covered subscribers leave their lists. False: it existed
 * already.
 */
export async function addBlock(store: Writer, command: BlockCommand): Promise<boolean> {
  const isNew = await store.write("block", command);
  await applyInBatches(store, command);
  return isNew;
}

/** False: there was no such block. */
export async function removeBlock(store: Store, command: BlockCommand): Promise<boolean> {
  const wasThere = await store.write("unblock", command);
  await applyInBatches(store, command);
  return wasThere;
}

async function applyInBatches(store: Writer, command: BlockCommand): Promise<void> {
  let after: number | null = 0;
  while (after !== null) after = await store.write("applyBlock", { ...command, after });
}

/** The subscriber first, so that no call adds refusals about them behind the batch that is being searched. */
export async function erase(
  store: Store,
  command: Writes["eraseSubscriber"]["args"],
): Promise<Erasure & { readonly refusedCalls: number }> {
  const erasure = await store.write("eraseSubscriber", command);
  const { account, address } = command;
  let refusedCalls = 0;
  let after: number | null = 0;
  while (after !== null) {
    const batch: Writes["eraseRefusals"]["result"] = await store.write("eraseRefusals", {
      account,
      address,
      after,
    });
    refusedCalls += batch.dropped;
    after = batch.next;
  }
  return { ...erasure, refusedCalls };
}

/** null: there is no such list. */
export async function deleteList(store: Store, command: Writes["deleteList"]["args"]): Promise<List | null> {
  while ((await store.write("emptyList", command)) > 0);
  return store.write("deleteList", command);
}
