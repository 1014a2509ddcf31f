/**
 * Commands that may change very many subscribers run in batches, each short enough that other calls do not
 * wait long. What the first batch leaves is a job: after an interruption, a server finishes it, or the same
 * command does.
 */
import type { Account } from "../domain/account.ts";
import type { Campaign } from "../domain/campaign.ts";
import type { Field } from "../domain/field.ts";
import type { Lease } from "../domain/job.ts";
import { KEY_CACHE_MS } from "../domain/key.ts";
import type { List } from "../domain/list.ts";
import type { DeleteAccount } from "../domain/ports/accounts.ts";
import type { BlockCommand } from "../domain/ports/blocks.ts";
import type { DeleteCampaign } from "../domain/ports/campaigns.ts";
import type { DeleteField } from "../domain/ports/fields.ts";
import type { DeleteList } from "../domain/ports/lists.ts";
import type { ErasedRefusals } from "../domain/ports/refusals.ts";
import type { Store } from "../domain/ports/store.ts";
import type { EraseSubscriber, Erasure, OtherSubscriber } from "../domain/ports/subscribers.ts";
import type { SubscriberId } from "../domain/subscriber.ts";
import { finishJob, requestLease } from "./foreground.ts";
import { type Sleep, sleep } from "./sleep.ts";

type WithBlocks = Pick<Store, "blocks" | "jobs">;
type ListDeletion = Omit<DeleteList, "lease">;

/** Does what the first batch has left, and returns what that batch did. */
async function finished<Begun extends { readonly job: Lease | null }>(
  jobs: Store["jobs"],
  begun: Begun,
): Promise<Begun> {
  if (begun.job !== null) await finishJob(jobs, begun.job);
  return begun;
}

/**
 * Adds are refused from the first batch on; then the covered subscribers leave their lists. False: it existed
 * already.
 */
export async function addBlock({ blocks, jobs }: WithBlocks, command: BlockCommand): Promise<boolean> {
  return (await finished(jobs, await blocks.add({ ...command, lease: requestLease() }))).isChanged;
}

/** False: there was no such block. */
export async function removeBlock({ blocks, jobs }: WithBlocks, command: BlockCommand): Promise<boolean> {
  return (await finished(jobs, await blocks.remove({ ...command, lease: requestLease() }))).isChanged;
}

type Erased = Erasure & { readonly refusedCalls: number };
/** The subscriber first, so that no call adds refusals about them behind the batch that is being searched. */
export async function erase(store: Store, command: EraseSubscriber & { subscriber?: never }): Promise<Erased>;
export async function erase(
  store: Store,
  command: EraseSubscriber & { subscriber?: SubscriberId },
): Promise<Erased | OtherSubscriber>;
export async function erase(
  store: Store,
  command: EraseSubscriber & { subscriber?: SubscriberId },
): Promise<Erased | OtherSubscriber> {
  const erasure = await store.subscribers.erase(command);
  if (erasure === "OtherSubscriber") return erasure;
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
export async function deleteList({ lists, jobs }: Store, command: ListDeletion): Promise<List | null> {
  const deleted = await lists.delete({ ...command, lease: requestLease() });
  return deleted === null ? null : (await finished(jobs, deleted)).list;
}

/** null: there is no such field. */
export async function deleteField(
  { fields, jobs }: Store,
  command: Omit<DeleteField, "lease">,
): Promise<Field | null> {
  const deleted = await fields.delete({ ...command, lease: requestLease() });
  return deleted === null ? null : (await finished(jobs, deleted)).field;
}

/** null: there is no such campaign. */
export async function deleteCampaign(
  { campaigns, jobs }: Store,
  command: Omit<DeleteCampaign, "lease">,
): Promise<Campaign | null> {
  const deleted = await campaigns.delete({ ...command, lease: requestLease() });
  return deleted === null ? null : (await finished(jobs, deleted)).campaign;
}

/**
 * Nodes accept keys that they have in their cache for a moment. The calls that come meanwhile find the
 * account; what they write is deleted with it.
 */
const CACHED_KEYS_MS = 2 * KEY_CACHE_MS;

/** null: there is no such account. */
export async function deleteAccount(
  { accounts, jobs }: Store,
  command: Omit<DeleteAccount, "lease">,
  pause: Sleep = sleep,
): Promise<Account | null> {
  const deleted = await accounts.delete({ ...command, lease: requestLease() });
  if (deleted === null) return null;
  await pause(CACHED_KEYS_MS);
  await finishJob(jobs, deleted.job);
  return deleted.account;
}
