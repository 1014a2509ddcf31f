/**
 * Decoders: from declared parameters to a tree of readers that a parser's events walk down, made once at start.
 *
 * Lexical rules are the types' own (contract/xsd.ts). Here: what counts as "not given", and the text of the
 * fault for a value that cannot be read.
 */
import { Fault } from "../contract/faults.ts";
import { expectation, type Fields, LexicalError, type XsdType } from "../contract/xsd.ts";
import { trimSpace } from "../xml/white-space.ts";

export interface ScalarReader {
  readonly kind: "scalar";
  /** The value of an element's text; null where nothing was given. Throws LexicalError. */
  read(text: string): unknown;
  readonly type: XsdType;
}
export interface SequenceReader {
  readonly kind: "sequence";
  readonly fields: ReadonlyMap<string, FieldReader>;
  /** A fresh value with nothing given, always in the same shape. */
  blank(): Record<string, unknown>;
  /** Parameters that must be given: enumerations have no neutral member. */
  readonly required: readonly { readonly name: string; readonly type: XsdType }[];
  readonly type: XsdType | null;
}
export interface ArrayReader {
  readonly kind: "array";
  readonly itemName: string;
  readonly item: SequenceReader;
  readonly type: XsdType;
}
export type Reader = ScalarReader | SequenceReader | ArrayReader;
export interface FieldReader {
  readonly name: string;
  /** A bit of its own, to notice the same element twice. */
  readonly bit: number;
  readonly reader: Reader;
}

function readerOf(type: XsdType): Reader {
  switch (type.kind) {
    case "scalar":
      return {
        kind: "scalar",
        type,
        read:
          type.xsd === "string"
            ? (text) => text
            : (text) => {
                const bare = trimSpace(text);
                return bare === "" ? null : type.read(bare);
              },
      };
    case "enum": {
      const values = new Set(type.values);
      return {
        kind: "scalar",
        type,
        read: (text) => {
          const bare = trimSpace(text);
          if (bare !== "" && !values.has(bare)) throw new LexicalError();
          return bare === "" ? null : bare;
        },
      };
    }
    case "sequence":
      return sequenceReader(type.fields, type);
    case "array":
      return {
        kind: "array",
        type,
        itemName: type.item.name,
        item: sequenceReader(type.item.fields, type.item),
      };
    default:
      return type satisfies never;
  }
}

export function sequenceReader(declared: Fields, type: XsdType | null = null): SequenceReader {
  const entries = Object.entries(declared);
  const names = entries.map(([name]) => name);
  return {
    kind: "sequence",
    type,
    fields: new Map(
      entries.map(([name, field], index) => [name, { name, bit: 1 << index, reader: readerOf(field) }]),
    ),
    required: entries
      .filter(([, field]) => field.kind === "enum")
      .map(([name, field]) => ({ name, type: field })),
    blank: () => {
      const value: Record<string, unknown> = {};
      for (const name of names) value[name] = null;
      return value;
    },
  };
}

const MAX_SHOWN = 100;

/** The one fault for a value that cannot be read: parameter, value, expected type, line. */
export function invalidParameter(name: string, text: string, type: XsdType | null, line: number): Fault {
  const points = [...text.slice(0, MAX_SHOWN * 2 + 2)];
  const shown = points.length > MAX_SHOWN ? `${points.slice(0, MAX_SHOWN).join("")}…` : text;
  const expected = type === null ? "parameters" : expectation(type);
  return new Fault("InvalidParameter", `${name} (line ${line}): "${shown}" is not ${expected}.`);
}
export function missingParameter(name: string, type: XsdType): Fault {
  return new Fault("InvalidParameter", `${name} is required: give ${expectation(type)}.`);
}
export function tooManyRecords(name: string, line: number, most: number): Fault {
  return new Fault("InvalidParameter", `${name} (line ${line}) holds more than ${most} records.`);
}
