/**
 * Refused calls as the writes that execute them again for the operator, with corrections: of one call, any
 * argument; of a group, the ids of lists and fields.
 */
import { contract, type Operations } from "#contract/operations.ts";
import type { AccountId } from "#domain/account.ts";
import type { Command } from "#domain/ports/command.ts";
import type { CallWrite, ReplayedCall } from "#domain/ports/refused-calls.ts";
import type { GroupCorrections, Refusal } from "#domain/refused-call.ts";
import type { Cause } from "#domain/subscriber/history.ts";
import { argumentsOf, fromRecordedCall, type KeptArguments } from "./recorded-call.ts";

/** The write of an operation, for a caller whose right to it has been checked. */
type ToWrite = (
  operation: keyof Operations,
  input: Readonly<Record<string, unknown>>,
  caller: Command,
) => Promise<CallWrite>;

/** Whatever the corrections are. */
export class NotReplayable extends Error {
  override readonly name = "NotReplayable";
}

/**
 * Throws BadArgument where the arguments do not fit the operation, or NotReplayable. `keepsCorrections`: if
 * the call is refused for another reason, it keeps them.
 */
export async function replayedCall(
  toWrite: ToWrite,
  account: AccountId,
  refusal: Refusal,
  args: KeptArguments,
  { at, origin }: Cause,
  keepsCorrections: boolean,
): Promise<ReplayedCall> {
  if (!Object.hasOwn(contract.operations, refusal.operation))
    throw new NotReplayable(
      `this version has no operation ${refusal.operation}, so the call cannot be replayed; dismiss it`,
    );
  if (refusal.isCut)
    throw new NotReplayable(
      "its arguments were too long to be stored in full, so it cannot be replayed; make the call again instead",
    );
  const name = refusal.operation as keyof Operations;
  const input = fromRecordedCall(contract.operations[name].params, args);
  const write = await toWrite(name, input, { account, origin, at, recordedCall: null });
  return { id: refusal.id, write, corrected: keepsCorrections ? JSON.stringify(args) : null };
}

/** The byte that the caller of an operation gets. */
export function byteOf(operation: string, outcome: string): number {
  const { outcomes } = contract.operations[operation as keyof Operations];
  const declared: Readonly<Record<string, { readonly byte: number }>> = outcomes;
  return declared[outcome]?.byte ?? 0;
}

// The lists and fields that calls name.

const LIST = "SubscribersListID";
const VALUES = "CustomsFields";
const FIELD = "Customfieldid";
const VALUE = "Value";
/** Instead of an id that is missing. */
const NONE = "0";

type Values = Readonly<Record<string, string>>;
const valuesIn = (args: KeptArguments): readonly Values[] => {
  const given = args[VALUES];
  return typeof given === "object" ? given : [];
};
const listIn = (args: KeptArguments): string => {
  const given = args[LIST];
  return (typeof given === "string" ? given.trim() : "") || NONE;
};
const fieldIn = (value: Values): string => value[FIELD]?.trim() || NONE;

/** Of a call; a value without a field is left out if it is empty, because it counts as not given. */
export function namedIn(refusal: Pick<Refusal, "args">) {
  const args = argumentsOf(refusal);
  const values = valuesIn(args).map((value) => ({ field: fieldIn(value), value: value[VALUE] ?? "" }));
  return {
    list: listIn(args),
    values: values.filter(({ field, value }) => field !== NONE || value.trim() !== ""),
  };
}

export function correctedArguments(args: KeptArguments, { lists, fields }: GroupCorrections): KeptArguments {
  const list = Object.hasOwn(lists, listIn(args)) ? lists[listIn(args)] : undefined;
  const values = valuesIn(args).flatMap((value): readonly Values[] => {
    const given = fieldIn(value);
    if (!Object.hasOwn(fields, given)) return [value];
    const meant = fields[given] ?? null;
    return meant === null ? [] : [{ ...value, [FIELD]: meant }];
  });
  return {
    ...args,
    ...(list === undefined ? {} : { [LIST]: String(list) }),
    ...(typeof args[VALUES] === "object" ? { [VALUES]: values } : {}),
  };
}
