/**
 * What a step of each kind of job does: a bounded piece of work, in the transaction that saves the progress.
 */
import type { AccountId } from "#domain/account.ts";
import { isWorkedKind, type JobKind, type JobKinds, type SteppedKind } from "#domain/job/kinds.ts";
import type { JobResult } from "#domain/job/result.ts";
import type { BulkResult } from "#domain/subscriber/bulk-change.ts";
import type { Db } from "../kit/db.ts";
import type { Context } from "../kit/feature.ts";
import { selectRecipients } from "../ledger/selection.ts";
import { dismissGroup } from "../refused-calls/refused-calls.ts";
import { restoreStep } from "../sending/earlier-results.ts";
import { retryStep } from "../sending/retry.ts";
import { applyBlock } from "./block-application.ts";
import { changeSubscribers } from "./bulk-change.ts";
import { deleteAccountBatch } from "./delete-account.ts";
import { deleteCampaignRows } from "./delete-campaign.ts";
import { deleteFieldValues } from "./delete-field.ts";
import { endMemberships } from "./delete-list.ts";
import { purgeStep } from "./purge.ts";
import { scheduleRewrite } from "./started-jobs.ts";
import { undoStep } from "./undo-import.ts";

interface Work<Kind extends JobKind> {
  readonly args: JobKinds[Kind]["args"];
  /** null before the first step. */
  readonly progress: JobKinds[Kind]["progress"] | null;
  readonly result: JobResult | null;
  readonly account: AccountId;
  readonly now: number;
}
interface Stepped<Kind extends JobKind> {
  /** null: nothing is left to do. Also if the object of the job, such as a list, does not exist any more. */
  readonly next: JobKinds[Kind]["progress"] | null;
  /** How many were dealt with. */
  readonly done: number;
  /** What the job has done so far, if that is more than a number. */
  readonly result?: JobResult | null;
  /** Why the job can never be continued. */
  readonly failure?: string;
}
type Steps = {
  readonly [Kind in SteppedKind]: (db: Db, work: Work<Kind>, context: Context) => Promise<Stepped<Kind>>;
};

const after = <Position>(last: { readonly after: Position | null; readonly done: number }) => ({
  next: last.after === null ? null : { after: last.after },
  done: last.done,
});

const changeStep = (
  db: Db,
  { args, account, progress, result, now }: Work<"change-subscribers" | "dry-run-change">,
  isDryRun: boolean,
) =>
  changeSubscribers(db, account, args, {
    ...{ after: progress?.after ?? null, result: result as BulkResult | null },
    ...{ now, isDryRun },
  });

const steps: Steps = {
  "delete-list": async (db, { args, account, progress }) =>
    after(await endMemberships(db, { ...args, account, id: args.list }, progress?.after ?? 0)),
  "apply-block": async (db, { args, account, progress }) =>
    after(await applyBlock(db, { ...args, account }, progress?.after ?? null)),
  "delete-field": async (db, { args, account, progress }) =>
    after(await deleteFieldValues(db, { account, id: BigInt(args.field) }, progress?.after ?? 0)),
  "delete-campaign": async (db, { args, account, progress }) => {
    const deleted = await deleteCampaignRows(db, { account, id: args.campaign }, progress ?? undefined);
    return { next: deleted.after, done: deleted.done };
  },
  "delete-account": async (db, { args, account, progress, now }) => {
    const deleted = await deleteAccountBatch(db, account, progress?.after ?? 0);
    // The night may have come before the end.
    if (deleted.after === null && args.rewriteLater === true) await scheduleRewrite(db, now);
    return after(deleted);
  },
  purge: async (db, { progress, now }, context) => ({
    next: await purgeStep(db, now, progress, context),
    done: 0,
  }),
  "change-subscribers": (db, work) => changeStep(db, work, false),
  "dry-run-change": (db, work) => changeStep(db, work, true),
  "undo-import": (db, work) => undoStep(db, work, false),
  "dry-run-undo": (db, work) => undoStep(db, work, true),
  "retry-recipients": async (db, { args, account, progress, now }) =>
    after(await retryStep(db, { ...args, account, now }, progress?.after ?? 0)),
  "restore-recipients": async (db, { args, account, progress }) =>
    after(await restoreStep(db, { ...args, account }, progress?.after ?? 0)),
  "dismiss-refusals": async (db, { args, account, progress }) =>
    after(await dismissGroup(db, account, args, progress?.after ?? 0)),
  "select-recipients": (db, { args, account, progress, now }) =>
    selectRecipients(db, { ...args, account }, progress, now),
};

interface StoredJob {
  readonly kind: JobKind;
  readonly args: string;
  readonly progress: string | null;
  readonly result: JobResult | null;
  readonly account: AccountId | null;
  readonly now: number;
}

/** `next` is the progress as it is stored. */
export async function takeStep(
  db: Db,
  { kind, args, progress, account, ...rest }: StoredJob,
  context: Context,
) {
  if (isWorkedKind(kind)) throw new Error(`a job of the kind ${kind} has no steps`);
  // The arguments and the progress of a job fit its kind: only `startJob` and this function store them.
  const step = steps[kind] as Steps[SteppedKind] as (
    db: Db,
    work: Work<never>,
    context: Context,
  ) => Promise<Stepped<JobKind>>;
  const work = {
    args: JSON.parse(args) as unknown,
    progress: progress === null ? null : (JSON.parse(progress) as unknown),
    account: account ?? 0,
    ...rest,
  } as Work<never>;
  const { next, done, result = null, failure = null } = await step(db, work, context);
  return { next: next === null ? null : JSON.stringify(next), done, result, failure };
}
