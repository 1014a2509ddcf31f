/**
 * Work on very many people, in steps short enough that nobody's calls wait long. Interrupted, it is done by asking for
 * the same again.
 */
import type { List } from "../domain/list.ts";
import type { Erasure, Store, Writes } from "../domain/ports.ts";

type BlockCommand = Writes["block"]["args"];
type Writer = Pick<Store, "write">;

/** The block holds for adds from the first moment; then those it covers leave their lists. False: it was there already. */
export async function addBlock(store: Writer, command: BlockCommand): Promise<boolean> {
  const isNew = await store.write("block", command);
  await settle(store, command);
  return isNew;
}

/** False: there was no such block. */
export async function liftBlock(store: Store, command: BlockCommand): Promise<boolean> {
  const wasThere = await store.write("unblock", command);
  await settle(store, command);
  return wasThere;
}

async function settle(store: Writer, command: BlockCommand): Promise<void> {
  let after: number | null = 0;
  while (after !== null) after = await store.write("settleBlock", { ...command, after });
}

/** The person first, so that no call brings anything of them into what was looked through already. */
export async function erase(
  store: Store,
  command: Writes["eraseSubscriber"]["args"],
): Promise<Erasure & { readonly refusedCalls: number }> {
  const erasure = await store.write("eraseSubscriber", command);
  const { account, address } = command;
  let refusedCalls = 0;
  let after: number | null = 0;
  while (after !== null) {
    const step: Writes["eraseRefusals"]["result"] = await store.write("eraseRefusals", {
      account,
      address,
      after,
    });
    refusedCalls += step.dropped;
    after = step.next;
  }
  return { ...erasure, refusedCalls };
}

/** null: there is no such list. */
export async function deleteList(store: Store, command: Writes["deleteList"]["args"]): Promise<List | null> {
  while ((await store.write("emptyList", command)) > 0);
  return store.write("deleteList", command);
}
