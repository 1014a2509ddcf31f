/** Calls that the service refused: to be looked at, corrected and replayed, or dismissed. */
import { contract, type Operations } from "#contract/operations.ts";
import type { Refusal, RefusalFilter, RefusalId } from "#domain/refusal.ts";
import { performerFor } from "#operations/handlers.ts";
import { BadArgument } from "#refusals/recorded-call.ts";
import { NotReplayable, replay } from "#refusals/replay.ts";
import { type Admin, action, type InAccount } from "../kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "../kit/errors.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";

interface OneRefusal extends InAccount {
  readonly id: RefusalId;
}

/** The newest first. */
export const listRefusals = action(
  "refused.list",
  "viewer",
  "nothing",
  ({ store }, { account, ...given }: InAccount & Partial<RefusalFilter> & PageInputs) => {
    const { operation = null, outcome = null, key = null, ...page } = given;
    return pageOf(store.refusals.search, { account, operation, outcome, key }, page);
  },
);

/** How many calls changed nothing, by operation and outcome. */
export const listNoOps = action("refused.noOps", "viewer", "nothing", ({ store }, { account }: InAccount) =>
  store.refusals.noOps({ account }),
);

async function find({ store }: Admin, { account, id }: OneRefusal): Promise<Refusal> {
  const refusal = await store.refusals.byId({ account, id });
  if (refusal === null) throw new NotFound("refused call", id);
  return refusal;
}
export const findRefusal = action("refused.show", "viewer", "nothing", find);

/** A call that succeeds is removed from the refused calls. `call` is the call with its corrections. */
export const replayRefusal = action(
  "refused.replay",
  "editor",
  "audit log",
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

export const dismissRefusal = action(
  "refused.dismiss",
  "editor",
  "audit log",
  async ({ store, audit }, { account, id }: OneRefusal) => {
    if (!(await store.refusals.dismiss({ account, id, audit }))) throw new NotFound("refused call", id);
    return { id };
  },
);
