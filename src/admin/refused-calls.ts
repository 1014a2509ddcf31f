/**
 * Refused calls by the group: the calls of one operation and outcome, and of one key if it is given. A group
 * is replayed or dismissed as a job.
 */
import { contract, type Operations } from "#contract/operations.ts";
import type { Job } from "#domain/job/job.ts";
import { type JobKinds, refusalGroupJob } from "#domain/job/kinds.ts";
import type { RefusalGroupCount } from "#domain/ports/refused-calls.ts";
import type { Refusal, RefusalFilter, RefusalGroup, RefusalId } from "#domain/refused-call.ts";
import { performerFor } from "#operations/handlers.ts";
import { BadArgument } from "#refused-calls/recorded-call.ts";
import { NotReplayable, replay } from "#refused-calls/replay.ts";
import { type Admin, audited, type InAccount, type Performing, query } from "./kit/action.ts";
import { existing, InvalidInput, NotFound, NotPossible } from "./kit/errors.ts";
import { type PageInputs, pageOf } from "./kit/paging.ts";
import { startJob } from "./kit/start-job.ts";

// What the arguments of refused calls are, for adapters that show and correct them.
export type { KeptArguments } from "#refused-calls/recorded-call.ts";
export { argumentsOf, type CallParameter, parametersOf } from "#refused-calls/recorded-call.ts";

/** Calls that the service refused: to be looked at, corrected and replayed, or dismissed. */
interface OneRefusal extends InAccount {
  readonly id: RefusalId;
}

/** The newest first. */
export const listRefusals = query(
  "refused.list",
  "viewer",
  ({ store }, { account, ...given }: InAccount & Partial<RefusalFilter> & PageInputs) => {
    const { operation = null, outcome = null, key = null, ...page } = given;
    return pageOf(store.refusals.search, { account, operation, outcome, key }, page);
  },
);

/** How many calls changed nothing, by operation and outcome. */
export const listNoOps = query("refused.noOps", "viewer", ({ store }, { account }: InAccount) =>
  store.refusals.noOps({ account }),
);

const find = async ({ store }: Admin, { account, id }: OneRefusal): Promise<Refusal> =>
  existing("refused call", id, await store.refusals.byId({ account, id }));
export const findRefusal = query("refused.show", "viewer", find);

/** A call that succeeds is removed from the refused calls. `call` is the call with its corrections. */
export const replayRefusal = audited(
  "refused.replay",
  "editor",
  async (admin, given: OneRefusal & { readonly corrections: Readonly<Record<string, string>> }) => {
    const { store, clock, actor, audit } = admin;
    const refusal = await find(admin, given);
    const { operation } = refusal;
    if (!Object.hasOwn(contract.operations, operation))
      throw new NotPossible(
        `this version has no operation ${operation}, so the call cannot be replayed; dismiss it`,
      );
    const corrections = byContractName(given.corrections, operation as keyof Operations);
    try {
      const replayed = await replay(
        { store, perform: performerFor({ store, clock }) },
        given.account,
        refusal,
        corrections,
        { at: clock(), origin: actor.origin, audit },
      );
      const args = JSON.stringify({ ...(JSON.parse(refusal.args) as object), ...corrections });
      return { ...replayed, call: { ...refusal, args } };
    } catch (error) {
      if (error instanceof BadArgument) throw new InvalidInput("corrections", error.message, error.place);
      throw error instanceof NotReplayable ? new NotPossible(error.message) : error;
    }
  },
);

/** Parameters by their names in the contract; the given names are compared ignoring case. */
function byContractName(
  corrections: Readonly<Record<string, string>>,
  operation: keyof Operations,
): Readonly<Record<string, string>> {
  const names = Object.keys(contract.operations[operation].params);
  return Object.fromEntries(
    Object.entries(corrections).map(([given, value]) => [
      names.find((name) => name.toLowerCase() === given.toLowerCase()) ?? given,
      value,
    ]),
  );
}

export const dismissRefusal = audited(
  "refused.dismiss",
  "editor",
  async ({ store, audit }, { account, id }: OneRefusal) => {
    if (!(await store.refusals.dismiss({ account, id, audit }))) throw new NotFound("refused call", id);
    return { id };
  },
);

export type OneGroup = InAccount & RefusalGroup;

/** The most that a preview counts. */
const MAX_COUNTED = 10_000;
const SAMPLE = 10;

export const listRefusalGroups = query(
  "refused.groups",
  "viewer",
  ({ store }, { account }: InAccount): Promise<readonly RefusalGroupCount[]> =>
    store.refusals.groups({ account }),
);

async function preview({ store }: Performing, { account, operation, outcome, key }: OneGroup) {
  const group = { account, operation, outcome, key };
  const found = await store.refusals.previewGroup({ ...group, most: MAX_COUNTED + 1, sample: SAMPLE });
  const isMore = found.count > MAX_COUNTED;
  return { count: isMore ? MAX_COUNTED : found.count, isMore, sample: found.newest, upTo: found.upTo };
}

/** What a replay or dismissal of the group would deal with: how many calls, and the newest of them. */
export const previewRefusalGroup = query("refused.group", "viewer", async (admin, one: OneGroup) => {
  const { upTo: _, ...shown } = await preview(admin, one);
  return shown;
});

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
 * Executes the calls again, in order, without corrections. Calls that succeed are removed from the refused
 * calls.
 */
export const replayRefusalGroup = audited("refused.replayGroup", "editor", async (admin, one: OneGroup) => ({
  job: await startFor(admin, "replay-refusals", one, { origin: admin.actor.origin }),
}));

export const dismissRefusalGroup = audited(
  "refused.dismissGroup",
  "editor",
  async (admin, one: OneGroup) => ({ job: await startFor(admin, "dismiss-refusals", one, {}) }),
);
