/**
 * What a step of each kind of job does: a bounded piece of work, in the transaction that saves the progress.
 */
import type { AccountId } from "../../../domain/account.ts";
import type { JobKind, JobKinds } from "../../../domain/job.ts";
import type { Db } from "../kit/db.ts";
import type { Context } from "../kit/feature.ts";
import { deleteAccountBatch } from "./account-deletion.ts";
import { applyBlock } from "./block-application.ts";
import { purgeCalls } from "./call-purge.ts";
import { deleteCampaignEvents } from "./campaign-deletion.ts";
import { deleteFieldValues } from "./field-deletion.ts";
import { endMemberships } from "./list-deletion.ts";
import { purgeRefusals } from "./refusal-purge.ts";

/** Nothing is left to do. Also if the object of the job, such as a list, does not exist any more. */
export const FINISHED = Symbol("finished");

interface Work<Kind extends JobKind> {
  readonly args: JobKinds[Kind]["args"];
  /** null before the first step. */
  readonly progress: JobKinds[Kind]["progress"] | null;
  readonly account: AccountId;
  readonly now: number;
}
type Steps = {
  readonly [Kind in JobKind]: (
    db: Db,
    work: Work<Kind>,
    context: Context,
  ) => Promise<JobKinds[Kind]["progress"] | typeof FINISHED>;
};

const steps: Steps = {
  "delete-list": async (db, { args, account, progress }) => {
    const after = await endMemberships(db, { ...args, account, id: args.list }, progress?.after ?? 0);
    return after === null ? FINISHED : { after };
  },
  "apply-block": async (db, { args, account, progress }) => {
    const after = await applyBlock(db, { ...args, account }, progress?.after ?? null);
    return after === null ? FINISHED : { after };
  },
  "delete-field": async (db, { args, account, progress }) => {
    const after = await deleteFieldValues(db, { account, id: BigInt(args.field) }, progress?.after ?? 0);
    return after === null ? FINISHED : { after };
  },
  "delete-campaign": async (db, { args, account, progress }) =>
    (await deleteCampaignEvents(db, { account, id: args.campaign }, progress ?? undefined)) ?? FINISHED,
  "delete-account": async (db, { account, progress }) => {
    const after = await deleteAccountBatch(db, account, progress?.after ?? 0);
    return after === null ? FINISHED : { after };
  },
  "purge-refusals": async (db, { progress, now }, { retention }) => {
    const after = await purgeRefusals(db, now, retention, progress?.after ?? 0);
    return after === null ? FINISHED : { after };
  },
  "purge-calls": async (db, { progress, now }) => {
    const after = await purgeCalls(db, now, progress?.after ?? 0);
    return after === null ? FINISHED : { after };
  },
};

interface StoredJob {
  readonly kind: JobKind;
  readonly args: string;
  readonly progress: string | null;
  readonly account: AccountId | null;
  readonly now: number;
}

/** Returns the progress as it is stored. */
export async function takeStep(
  db: Db,
  { kind, args, progress, account, now }: StoredJob,
  context: Context,
): Promise<string | typeof FINISHED> {
  // The arguments and the progress of a job are those of its kind: only `startJob` and this function store
  // them.
  const step = steps[kind] as Steps[JobKind] as (
    db: Db,
    work: Work<never>,
    context: Context,
  ) => Promise<unknown>;
  const work = {
    args: JSON.parse(args) as unknown,
    progress: progress === null ? null : (JSON.parse(progress) as unknown),
    account: account ?? 0,
    now,
  } as Work<never>;
  const next = await step(db, work, context);
  return next === FINISHED ? FINISHED : JSON.stringify(next);
}
