/**
 * Arguments as they are kept with a refused call: every value as the text it had, without the key; and back again,
 * to ask the same with a correction.
 */
import { expectation, type Fields, LexicalError, type XsdType } from "../contract/xsd.ts";
import type { Asked } from "../domain/refusal.ts";

type Kept = string | readonly Readonly<Record<string, string>>[];
export type KeptArguments = Readonly<Record<string, Kept>>;

/** Longer arguments than any honest call has are cut, so that refusals cannot fill the disk. */
const MAX_VALUE = 2000;
const MAX_RECORDS = 200;
const SECRET = "APIKey";

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "text" in value ? String(value.text) : String(value);

export function toAsked(operation: string, params: Fields, input: Readonly<Record<string, unknown>>): Asked {
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
  return { operation, args: JSON.stringify(kept), isCut };
}

/** A kept or corrected argument that is not what the operation takes; the text says what was expected. */
export class BadArgument extends Error {
  override readonly name = "BadArgument";
}

/** The operation's input again; throws BadArgument. */
export function fromAsked(params: Fields, args: KeptArguments): Record<string, unknown> {
  const unknown = Object.keys(args).find((name) => !(name in params) || name === SECRET);
  if (unknown !== undefined) {
    const names = Object.keys(params).filter((name) => name !== SECRET);
    throw new BadArgument(`there is no parameter ${unknown}; there are: ${names.join(", ")}`);
  }
  return Object.fromEntries(
    Object.entries(params).map(([name, type]) => [name, read(name, type, args[name])]),
  );
}

function read(name: string, type: XsdType, kept: Kept | undefined): unknown {
  if (kept === undefined) return null;
  if (type.kind === "array") {
    if (!Array.isArray(kept)) throw new BadArgument(`${name} cannot be given as one value`);
    return kept.map((record: Readonly<Record<string, string>>) => fromAsked(type.item.fields, record));
  }
  const text = typeof kept === "string" ? kept : JSON.stringify(kept);
  try {
    if (type.kind === "scalar") return type.xsd === "string" ? text : type.read(text.trim());
    if (type.kind === "enum" && type.values.includes(text)) return text;
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
  }
  throw new BadArgument(`${name}: "${text}" is not ${expectation(type)}`);
}
