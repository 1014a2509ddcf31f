/** Every stored count equals a recount, whatever was done to the store. */
import assert from "node:assert/strict";
import type { Recount } from "#domain/ports/health.ts";
import type { Store } from "#domain/ports/store.ts";

export const wrongNumbers = async (store: Store): Promise<readonly Recount[]> =>
  (await store.health.recount()).filter(({ kept, counted }) => kept !== counted);

/** Called at the end of every suite. */
export async function closeSound(store: Store): Promise<void> {
  const wrong = await wrongNumbers(store);
  await store.close();
  assert.deepEqual(wrong, [], "every kept number equals a recount");
}
