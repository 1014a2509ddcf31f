/**
 * Refused calls by the group: those of one operation and outcome, and of one key if it is given. A group is
 * replayed or dismissed as a job.
 */
import type { Job } from "#domain/job/job.ts";
import { type JobKinds, refusalGroupJob } from "#domain/job/kinds.ts";
import type { RefusalGroupCount } from "#domain/ports/refusals.ts";
import type { Refusal, RefusalGroup } from "#domain/refusal.ts";
import { action, type InAccount, type Performing } from "../kit/action.ts";
import { NotPossible } from "../kit/errors.ts";
import { startJob } from "../kit/start-job.ts";

export type OneGroup = InAccount & RefusalGroup;

/** The most that a preview counts. */
export const MAX_COUNTED = 10_000;
const SAMPLE = 10;

export const listRefusalGroups = action(
  "refused.groups",
  "viewer",
  "nothing",
  ({ store }, { account }: InAccount): Promise<readonly RefusalGroupCount[]> =>
    store.refusals.groups({ account }),
);

interface GroupPreview {
  readonly count: number;
  /** There are more than `count`. */
  readonly isMore: boolean;
  /** The newest. */
  readonly sample: readonly Refusal[];
}

async function preview({ store }: Performing, { account, operation, outcome, key }: OneGroup) {
  const group = { account, operation, outcome, key };
  const found = await store.refusals.previewGroup({ ...group, most: MAX_COUNTED + 1, sample: SAMPLE });
  const isMore = found.count > MAX_COUNTED;
  return { count: isMore ? MAX_COUNTED : found.count, isMore, sample: found.newest, upTo: found.upTo };
}

/** What a replay or dismissal of the group would deal with. */
export const previewRefusalGroup = action(
  "refused.group",
  "viewer",
  "nothing",
  async (admin, one: OneGroup): Promise<GroupPreview> => {
    const { upTo: _, ...shown } = await preview(admin, one);
    return shown;
  },
);

type GroupKind = "dismiss-refusals" | "replay-refusals";

async function startFor<Kind extends GroupKind>(
  admin: Performing,
  kind: Kind,
  one: OneGroup,
  more: Omit<JobKinds[Kind]["args"], keyof JobKinds["dismiss-refusals"]["args"]>,
): Promise<Job | null> {
  const { account, operation, outcome, key } = one;
  const { count, isMore, upTo } = await preview(admin, one);
  // A repeated request finds none if its job has ended; the store answers it with that job.
  if (count === 0 && !admin.isRepeat)
    throw new NotPossible("there are no refused calls of this operation and outcome");
  return startJob(admin, {
    account,
    kind,
    name: refusalGroupJob(kind, account, one),
    args: { operation, outcome, key, upTo, ...more } as JobKinds[Kind]["args"],
    total: isMore ? null : count,
    audited: { operation, outcome, key },
  });
}

/**
 * Executes the calls again, in order, without corrections. Those that succeed are removed from the refused
 * calls.
 */
export const replayRefusalGroup = action(
  "refused.replayGroup",
  "editor",
  "audit log",
  async (admin, one: OneGroup) => ({
    job: await startFor(admin, "replay-refusals", one, { origin: admin.actor.origin }),
  }),
);

export const dismissRefusalGroup = action(
  "refused.dismissGroup",
  "editor",
  "audit log",
  async (admin, one: OneGroup) => ({ job: await startFor(admin, "dismiss-refusals", one, {}) }),
);
