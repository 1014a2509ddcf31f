/**
 * The arguments of a call as they are kept when it is refused: every value as the text that the caller sent,
 * without the API key. And back into an operation's input, to replay the call with corrections.
 */
import { contract } from "#contract/operations.ts";
import { expectation, type Fields, LexicalError, type XsdType } from "#contract/xsd.ts";
import type { RecordedCall, Refusal } from "#domain/refused-call.ts";

type Kept = string | readonly Readonly<Record<string, string>>[];
export type KeptArguments = Readonly<Record<string, Kept>>;

/** Longer than the arguments of any real call. The rest is cut, so that refusals cannot fill the disk. */
const MAX_VALUE = 2000;
const MAX_RECORDS = 200;
/** In bytes of UTF-8, as databases store it. */
const MAX_JSON = 32_768;
const SECRET = "APIKey";

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "text" in value ? String(value.text) : String(value);

/** A UTF-16 code unit takes at most three bytes of UTF-8, so ordinary calls need no counting. */
const fits = (json: string): boolean => json.length * 3 <= MAX_JSON || Buffer.byteLength(json) <= MAX_JSON;

export function toRecordedCall(
  operation: string,
  params: Fields,
  input: Readonly<Record<string, unknown>>,
): RecordedCall {
  const kept: Record<string, Kept> = {};
  let isCut = false;
  const keep = (value: unknown): string => {
    const text = textOf(value);
    if (text.length <= MAX_VALUE) return text;
    isCut = true;
    return text.slice(0, MAX_VALUE);
  };
  for (const name of Object.keys(params)) {
    const value = input[name];
    if (name === SECRET || value === null || value === undefined) continue;
    if (!Array.isArray(value)) kept[name] = keep(value);
    else {
      isCut ||= value.length > MAX_RECORDS;
      kept[name] = value.slice(0, MAX_RECORDS).map((record: Readonly<Record<string, unknown>>) =>
        Object.fromEntries(
          Object.entries(record)
            .filter(([, field]) => field !== null)
            .map(([key, field]) => [key, keep(field)]),
        ),
      );
    }
  }
  const args = JSON.stringify(kept);
  if (fits(args)) return { operation, args, isCut };
  const scalars = Object.entries(kept).filter(([, value]) => typeof value === "string");
  return { operation, args: JSON.stringify(Object.fromEntries(scalars)), isCut: true };
}

/** A recorded or corrected argument that the operation does not take; the message says what was expected. */
export class BadArgument extends Error {
  override readonly name = "BadArgument";
  /** The parameter; of a record in it also the index and the field, such as `CustomsFields/0/Value`. */
  readonly place: string;
  constructor(place: string, message: string) {
    super(message);
    this.place = place;
  }
}

/** The operation's input again; throws BadArgument. `within`: the place of a record, with a slash. */
export function fromRecordedCall(params: Fields, args: KeptArguments, within = ""): Record<string, unknown> {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(params, name) || name === SECRET);
  if (unknown !== undefined) {
    const names = Object.keys(params).filter((name) => name !== SECRET);
    throw new BadArgument(
      `${within}${unknown}`,
      `there is no parameter ${unknown}; there are: ${names.join(", ")}`,
    );
  }
  return Object.fromEntries(
    Object.entries(params).map(([name, type]) => [name, read(name, type, args[name], within)]),
  );
}

/** Records as an operator corrects them: a JSON array of objects; nothing for none. */
function readRecords(name: string, text: string): readonly Readonly<Record<string, string>>[] {
  const expected = new BadArgument(name, `${name} takes a JSON array of objects, such as [{"name":"value"}]`);
  try {
    const value: unknown = text.trim() === "" ? [] : JSON.parse(text);
    if (!Array.isArray(value)) throw expected;
    return value.map((record: unknown) => {
      if (typeof record !== "object" || record === null) throw expected;
      return Object.fromEntries(Object.entries(record).map(([key, field]) => [key, String(field)]));
    });
  } catch {
    throw expected;
  }
}

function read(name: string, type: XsdType, kept: Kept | undefined, within: string): unknown {
  if (kept === undefined) return null;
  if (type.kind === "array") {
    const records = typeof kept === "string" ? readRecords(name, kept) : kept;
    return records.map((record, at) => fromRecordedCall(type.item.fields, record, `${within}${name}/${at}/`));
  }
  const text = typeof kept === "string" ? kept : JSON.stringify(kept);
  try {
    if (type.kind === "scalar") return type.xsd === "string" ? text : type.read(text.trim());
    if (type.kind === "enum" && type.values.includes(text)) return text;
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
  }
  throw new BadArgument(`${within}${name}`, `${name}: "${text}" is not ${expectation(type)}`);
}

/** What the operation of a refused call takes, so that its arguments can be shown and corrected. */
export interface CallParameter {
  readonly name: string;
  readonly isNumber: boolean;
  /** The values that it can have; null: any. */
  readonly choices: readonly string[] | null;
  /** Of the records that it consists of; null: it is a single value. */
  readonly fields: readonly CallParameter[] | null;
  readonly note: string | null;
}
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
