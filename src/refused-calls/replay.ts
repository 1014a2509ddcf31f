/**
 * Replays a refused call as the operator, with corrections. If it is refused again, it is not kept a second
 * time.
 */
import { contract, type Operations } from "#contract/operations.ts";
import type { Audited } from "#domain/access/audit.ts";
import type { AccountId } from "#domain/account.ts";
import type { Command } from "#domain/ports/command.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Refusal } from "#domain/refused-call.ts";
import type { Cause } from "#domain/subscriber/history.ts";
import { fromRecordedCall, type KeptArguments } from "./recorded-call.ts";

/** Carries out an operation for a caller whose right to it has been checked. */
type Perform = (
  operation: keyof Operations,
  input: Readonly<Record<string, unknown>>,
  caller: Command,
) => Promise<unknown>;

interface Replayed {
  readonly outcome: string;
  readonly byte: number;
}

/** Whatever the corrections are. */
export class NotReplayable extends Error {
  override readonly name = "NotReplayable";
}

/** Throws BadArgument where the corrections do not fit the operation, or NotReplayable. */
export async function replay(
  { store, perform }: { readonly store: Store; readonly perform: Perform },
  account: AccountId,
  refusal: Refusal,
  corrections: Readonly<Record<string, string>>,
  { at, origin, audit }: Cause & Audited,
): Promise<Replayed> {
  const replayed = await execute(perform, account, refusal, corrections, { at, origin });
  if (replayed.byte === 0) await store.refusals.dismiss({ account, id: refusal.id, audit });
  return replayed;
}

/**
 * Executes the call and leaves it among the refused calls. It is passed to the store at once, so several that
 * are begun one after the other take effect in this order.
 */
export async function execute(
  perform: Perform,
  account: AccountId,
  refusal: Refusal,
  corrections: Readonly<Record<string, string>>,
  { at, origin }: Cause,
): Promise<Replayed> {
  const name = refusal.operation as keyof Operations;
  const operation = contract.operations[name];
  if (refusal.isCut)
    throw new NotReplayable(
      "its arguments were too long to be stored in full, so it cannot be replayed; make the call again instead",
    );
  const kept = JSON.parse(refusal.args) as KeptArguments;
  const input = fromRecordedCall(operation.params, { ...kept, ...corrections });
  const caller: Command = { account, origin, at, recordedCall: null };
  const outcome = String(await perform(name, input, caller));
  const declared: Readonly<Record<string, { readonly byte: number }>> = operation.outcomes;
  return { outcome, byte: declared[outcome]?.byte ?? 0 };
}
