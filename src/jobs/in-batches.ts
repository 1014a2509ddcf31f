/**
 * Commands that may change very many subscribers run in batches, each short enough that other calls do not
 * wait long. What the first batch leaves is a job: after an interruption, a server finishes it, or the same
 * command does.
 */
import type { Campaign } from "#domain/campaign.ts";
import type { Field } from "#domain/field/field.ts";
import type { Job, Lease } from "#domain/job/job.ts";
import type { List } from "#domain/list.ts";
import type { DeleteAccount, DeletedAccount } from "#domain/ports/accounts.ts";
import type { BlockCommand } from "#domain/ports/blocks.ts";
import type { DeleteCampaign, IsComposed, Needed } from "#domain/ports/campaigns.ts";
import type { DeleteField } from "#domain/ports/fields.ts";
import type { DeleteList } from "#domain/ports/lists.ts";
import type { ErasedRefusals } from "#domain/ports/refused-calls.ts";
import type { Store } from "#domain/ports/store.ts";
import type { EraseSubscriber, Erasure, OtherSubscriber } from "#domain/ports/subscribers.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { requireVersion } from "#domain/version.ts";
import { type ContinueJob, finishJob, requestLease } from "./foreground.ts";

type WithBlocks = Pick<Store, "blocks" | "jobs">;

/** What the first batch did, and the job that did the rest or will do it; null if nothing was left. */
type Continued<Begun> = Omit<Begun, "job"> & { readonly job: Job | null };

async function continued<Begun extends { readonly job: Lease | null }>(
  begun: Begun,
  goOn: ContinueJob,
): Promise<Continued<Begun>> {
  return { ...begun, job: begun.job === null ? null : await goOn(begun.job) };
}

/**
 * Adds are refused from the first batch on; then the covered subscribers leave their lists. `isChanged` is
 * false if it existed already.
 */
export async function addBlock(
  { blocks, jobs }: WithBlocks,
  command: BlockCommand,
  goOn: ContinueJob = finishJob(jobs),
): Promise<Continued<{ readonly isChanged: boolean }>> {
  return continued(await blocks.add({ ...command, lease: requestLease(command.now ?? command.at) }), goOn);
}

/** `isChanged` is false if there was no such block. */
export async function removeBlock(
  { blocks, jobs }: WithBlocks,
  command: BlockCommand,
  goOn: ContinueJob = finishJob(jobs),
): Promise<Continued<{ readonly isChanged: boolean }>> {
  return continued(await blocks.remove({ ...command, lease: requestLease(command.now ?? command.at) }), goOn);
}

type Erased = Erasure & {
  readonly refusedCalls: number;
  /** When the database is rewritten; null: the caller does so. */
  readonly rewriteAt: number | null;
};
/**
 * The refused calls before the subscriber: if the erasure is interrupted, its repeat still finds whom it is
 * about, and that subscriber still has the version that it expects. And again after the subscriber, because
 * calls about them may have been refused meanwhile. An erasure that expects a version of the subscriber
 * changes nothing before the version has been compared. It is compared again with the deletion of the
 * subscriber; a subscriber who was changed in between stays, without the refused calls.
 */
export async function erase(store: Store, command: EraseSubscriber & { subscriber?: never }): Promise<Erased>;
export async function erase(
  store: Store,
  command: EraseSubscriber & { subscriber?: SubscriberId },
): Promise<Erased | OtherSubscriber>;
export async function erase(
  store: Store,
  command: EraseSubscriber & { subscriber?: SubscriberId },
): Promise<Erased | OtherSubscriber> {
  const { account, address, subscriber, at, audit, rewriteLater = false } = command;
  if (audit?.ifVersion !== undefined) {
    const found = await store.subscribers.data({ account, address });
    if (subscriber !== undefined && found?.id !== subscriber) return "OtherSubscriber";
    requireVersion(audit.ifVersion, "subscriber", found);
  }
  const earlier = await eraseRefusals(store, command);
  const erasure = await store.subscribers.erase(command);
  if (erasure === "OtherSubscriber") return erasure;
  const refusedCalls = earlier + (await eraseRefusals(store, command));
  // Of the uploads that were deleted with the subscriber.
  while (await store.uploads.dropParts());
  // Again, because the night may have come since the first deletion.
  const rewriteAt = rewriteLater ? await store.jobs.scheduleRewrite({ now: at }) : null;
  return { ...erasure, refusedCalls, rewriteAt };
}

/** Returns how many. */
async function eraseRefusals({ refusals }: Store, { account, address }: EraseSubscriber): Promise<number> {
  let erased = 0;
  let after: number | null = 0;
  while (after !== null) {
    const { dropped, next }: ErasedRefusals = await refusals.erase({ account, address, after });
    erased += dropped;
    after = next;
  }
  return erased;
}

/** null: there is no such list. A list that a campaign needs stays. */
export async function deleteList(
  { lists, jobs }: Store,
  command: Omit<DeleteList, "lease">,
  goOn: ContinueJob = finishJob(jobs),
): Promise<Continued<{ readonly list: List }> | Needed | null> {
  const deleted = await lists.delete({ ...command, lease: requestLease(command.at) });
  return deleted === null || "neededBy" in deleted ? deleted : continued(deleted, goOn);
}

/** null: there is no such field. A field that a campaign needs stays. */
export async function deleteField(
  { fields, jobs }: Store,
  command: Omit<DeleteField, "lease">,
  goOn: ContinueJob = finishJob(jobs),
): Promise<Continued<{ readonly field: Field }> | Needed | null> {
  const deleted = await fields.delete({ ...command, lease: requestLease(command.at) });
  return deleted === null || "neededBy" in deleted ? deleted : continued(deleted, goOn);
}

/**
 * null: there is no such campaign. A campaign that Mailroll sends itself stays until it has ended, and one
 * that the filter of another campaign needs stays until that has.
 */
export async function deleteCampaign(
  { campaigns, jobs }: Store,
  command: Omit<DeleteCampaign, "lease">,
  goOn: ContinueJob = finishJob(jobs),
): Promise<Continued<{ readonly campaign: Campaign }> | IsComposed | Needed | null> {
  const deleted = await campaigns.delete({ ...command, lease: requestLease(command.at) });
  return deleted !== null && "campaign" in deleted ? continued(deleted, goOn) : deleted;
}

/** null: there is no such account. */
export async function deleteAccount(
  { accounts, jobs }: Store,
  command: Omit<DeleteAccount, "lease">,
  goOn: ContinueJob = finishJob(jobs),
): Promise<Continued<DeletedAccount> | null> {
  const deleted = await accounts.delete({ ...command, lease: requestLease(command.at) });
  return deleted === null ? null : continued(deleted, goOn);
}
