/** Whether an address can be added, and why not: also of an address that is no subscriber. */
import { originOfActor } from "#domain/access/audit.ts";
import type { Block } from "#domain/block.ts";
import type { SubscriberId, Suppressions } from "#domain/subscriber/subscriber.ts";
import { actorNames, type NamedActor, namedActor } from "../actor-names.ts";
import { action, type InAccount } from "../kit/action.ts";
import { requireAddress } from "../kit/inputs.ts";
import { keptSuppressions } from "./record.ts";

export interface CoveringBlock extends Block {
  /** Who added it; null if it is not known, or if the audit log has too many newer entries. */
  readonly by: NamedActor | null;
}
export interface AddressStatus {
  readonly address: string;
  /** null: the address is no subscriber. */
  readonly subscriber: SubscriberId | null;
  readonly blocks: readonly CoveringBlock[];
  /** What stays in force after the subscriber was erased; null: nothing. */
  readonly kept: Suppressions | null;
}

/** How many of the newest entries of the audit log are looked at. */
const MAX_ENTRIES = 10_000;

export const showAddress = action(
  "subscriber.address",
  "viewer",
  "nothing",
  async ({ store }, { account, email }: InAccount & { readonly email: string }): Promise<AddressStatus> => {
    const address = requireAddress(email);
    const [found, blocks, kept] = await Promise.all([
      store.subscribers.find({ account, address }),
      store.blocks.covering({ account, address }),
      keptSuppressions(store, { account }, address),
    ]);
    const origins = await Promise.all(
      blocks.map(async ({ pattern }) => {
        const changes = await store.audit.ofBlock({ account, pattern, most: MAX_ENTRIES });
        const added = changes.findLast(({ action: name }) => name === "block.add");
        return added === undefined ? null : originOfActor(added.actor);
      }),
    );
    const names = await actorNames(store, account, origins);
    return {
      address: address.text,
      subscriber: found?.id ?? null,
      blocks: blocks.map((block, at) => {
        const origin = origins[at] ?? null;
        return { ...block, by: origin === null ? null : namedActor(origin, names) };
      }),
      kept,
    };
  },
);
