/** What the operation of a refused call takes, so that its arguments can be shown and corrected. */
import { contract } from "#contract/operations.ts";
import type { Fields, XsdType } from "#contract/xsd.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { KeptArguments } from "./recorded-call.ts";

export interface CallParameter {
  readonly name: string;
  readonly isNumber: boolean;
  /** The values that it can have; null: any. */
  readonly choices: readonly string[] | null;
  /** Of the records that it consists of; null: it is a single value. */
  readonly fields: readonly CallParameter[] | null;
  readonly note: string | null;
}

const SECRET = "APIKey";
const NUMBERS: ReadonlySet<string> = new Set(["int", "long", "unsignedByte"]);

const toParameter = ([name, type]: readonly [string, XsdType], note: string | null): CallParameter => ({
  name,
  isNumber: type.kind === "scalar" && NUMBERS.has(type.xsd),
  choices: type.kind === "enum" ? type.values : null,
  fields: type.kind === "array" ? fieldsOf(type.item.fields) : null,
  note,
});
const fieldsOf = (fields: Fields): readonly CallParameter[] =>
  Object.entries(fields).map((field) => toParameter(field, null));

/** Without the key. null: this version has no such operation. */
export function parametersOf(operation: string): readonly CallParameter[] | null {
  if (!Object.hasOwn(contract.operations, operation)) return null;
  const { params, notes } = contract.operations[operation as keyof typeof contract.operations] as {
    readonly params: Fields;
    readonly notes: Readonly<Record<string, string>>;
  };
  return Object.entries(params)
    .filter(([name]) => name !== SECRET)
    .map((field) => toParameter(field, notes[field[0]] ?? null));
}

export const argumentsOf = ({ args }: Pick<Refusal, "args">): KeptArguments =>
  JSON.parse(args) as KeptArguments;
