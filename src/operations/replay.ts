/**
 * Replays a refused call as the operator, with corrections. If it is refused again, it is not kept a second
 * time.
 */
import { contract, type Operations } from "../contract/operations.ts";
import type { AccountId } from "../domain/account.ts";
import type { Clock, Store } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusal.ts";
import { performers } from "./handlers.ts";
import type { AnyPerform } from "./perform.ts";
import { BadArgument, fromRecordedCall, type KeptArguments } from "./recorded-call.ts";

export interface Replayed {
  readonly outcome: string;
  readonly byte: number;
}

/** Throws BadArgument where the corrections do not fit the operation. */
export async function replay(
  store: Store,
  clock: Clock,
  account: AccountId,
  refusal: Refusal,
  corrections: Readonly<Record<string, string>>,
): Promise<Replayed> {
  const name = refusal.operation as keyof Operations;
  const operation = contract.operations[name];
  if (refusal.isCut)
    throw new BadArgument(
      "its arguments were too long to be stored in full, so it cannot be replayed; make the call again instead",
    );
  const kept = JSON.parse(refusal.args) as KeptArguments;
  const input = fromRecordedCall(operation.params, { ...kept, ...corrections });
  const caller = { account, origin: { kind: "operator" as const }, at: clock(), recordedCall: null };
  const outcome = String(await (performers[name] as unknown as AnyPerform)(input, caller, { store, clock }));
  const declared: Readonly<Record<string, { readonly byte: number }>> = operation.outcomes;
  const byte = declared[outcome]?.byte ?? 0;
  if (byte === 0) await store.write("dismissRefusal", { account, id: refusal.id });
  return { outcome, byte };
}
