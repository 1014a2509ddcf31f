/**
 * An operator's correction of a subscriber. Unlike the data of a call, it can clear values and change the
 * address, and the history records every value that it changes, even if it was empty before.
 *
 * A change of address never ends a suppression. It is refused if the subscriber is suppressed, because the
 * old address could then be added again. It is also refused if the new address is suppressed.
 */
import type { Address } from "../address.ts";
import type { FieldId } from "../field/field.ts";
import { basicNames, importedBits, type StoredBasics, type StoredValues } from "../field/value-rules.ts";
import type { SubscriberChange } from "./change.ts";
import { type Cause, historyEntry, type ReplacedValue } from "./history.ts";
import { type AddressState, suppressionsOf } from "./rules.ts";
import { type BasicData, earlier, type Known, type State, stateOf } from "./subscriber.ts";

export interface Correction {
  /** The new address; null: it stays. */
  readonly address: Address | null;
  /** An empty text or null clears the value. */
  readonly data: Partial<BasicData>;
  /** Normalized, each field once; an empty value clears the field. */
  readonly values: readonly { readonly field: FieldId; readonly value: string }[];
}

export interface CorrectedState {
  readonly known: Known;
  /** The present address, as it is shown. */
  readonly address: string;
  /** Since when a block covers the present address. */
  readonly blockedAt: number | null;
  readonly stored: StoredValues;
  /** What is stored about the new address; null if the key of the address stays the same. */
  readonly atNewAddress: AddressState | null;
}

export type CorrectionOutcome =
  | { readonly outcome: "Done"; readonly replaced: readonly ReplacedValue[] }
  | { readonly outcome: "UnknownSubscriber" | "UnknownField" | "AddressTaken" }
  /** "Suppressed": the subscriber is; "AddressSuppressed": the new address is. */
  | { readonly outcome: "Suppressed" | "AddressSuppressed"; readonly state: Exclude<State, "active"> };

/** What to save in addition to `changes`. */
export interface CorrectedPerson {
  /** All of them, changed or not. */
  readonly basics: StoredBasics;
  readonly cleared: readonly FieldId[];
}

export type CorrectionDecision =
  | {
      readonly result: Extract<CorrectionOutcome, { readonly outcome: "Done" }>;
      readonly person: CorrectedPerson;
      readonly changes: readonly SubscriberChange[];
    }
  | { readonly result: Exclude<CorrectionOutcome, { readonly outcome: "Done" }>; readonly person: null };

export function decideCorrection(
  { address, data, values }: Correction,
  state: CorrectedState,
  { at, origin }: Cause,
): CorrectionDecision {
  const refusal = refuseNewAddress(state);
  if (refusal !== null) return { result: refusal, person: null };
  const replaced: ReplacedValue[] = [];
  const replace = (field: ReplacedValue["field"], old: string, value: string): void => {
    if (old !== value) replaced.push({ field, old, new: value });
  };
  replace("address", state.address, address?.text ?? state.address);
  let { basics } = state.stored;
  for (const name of basicNames) {
    const value = data[name];
    if (value === undefined) continue;
    replace(name, basics[name] ?? "", value ?? "");
    // Even if the value is the same, it no longer counts as imported.
    basics = { ...basics, [name]: value, imported: basics.imported & ~importedBits[name] };
  }
  const changes: SubscriberChange[] = [];
  const cleared: FieldId[] = [];
  for (const { field, value } of values) {
    replace(field, state.stored.values.get(field)?.value ?? "", value);
    if (value === "") cleared.push(field);
    else changes.push({ kind: "set-value", field, value, at, origin });
  }
  if (replaced.length > 0)
    changes.push({ kind: "add-history", entry: historyEntry("changed", { at, origin }, { replaced }) });
  return { result: { outcome: "Done", replaced }, person: { basics, cleared }, changes };
}

function refuseNewAddress({
  known,
  blockedAt,
  atNewAddress,
}: CorrectedState): Exclude<CorrectionOutcome, { readonly outcome: "Done" }> | null {
  if (atNewAddress === null) return null;
  if (atNewAddress.known !== null) return { outcome: "AddressTaken" };
  const { suppressions } = known;
  const own = stateOf({ ...suppressions, blocked: earlier(suppressions.blocked, blockedAt) });
  if (own !== "active") return { outcome: "Suppressed", state: own };
  const there = stateOf(suppressionsOf(atNewAddress));
  return there === "active" ? null : { outcome: "AddressSuppressed", state: there };
}
