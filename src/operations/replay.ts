/** Asks a refused call again, as the operator, with corrections. What is refused again is not kept a second time. */
import { contract, type Operations } from "../contract/operations.ts";
import type { AccountId } from "../domain/account.ts";
import type { Clock, Store } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusal.ts";
import { BadArgument, fromAsked, type KeptArguments } from "./asked.ts";
import { performers } from "./handlers.ts";
import type { AnyPerform } from "./perform.ts";

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
    throw new BadArgument("its arguments were too long to be kept whole; it cannot be asked again");
  const kept = JSON.parse(refusal.args) as KeptArguments;
  const input = fromAsked(operation.params, { ...kept, ...corrections });
  const caller = { account, origin: { kind: "operator" as const }, at: clock(), asked: null };
  const outcome = String(await (performers[name] as unknown as AnyPerform)(input, caller, { store, clock }));
  const declared: Readonly<Record<string, { readonly byte: number }>> = operation.outcomes;
  const byte = declared[outcome]?.byte ?? 0;
  if (byte === 0) await store.write("dismissRefusal", { account, id: refusal.id });
  return { outcome, byte };
}
