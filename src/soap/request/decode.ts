/**
 * Decoders: from declared parameters to a tree of readers, which the parser's events walk down; built once at
 * the start.
 *
 * The lexical rules belong to the types (contract/xsd.ts). This module defines what counts as "not given",
 * and the fault for an invalid value.
 */
import { Fault } from "#contract/faults.ts";
import { expectation, type Fields, LexicalError, type XsdType } from "#contract/xsd.ts";
import { trimSpace } from "#xml/characters.ts";
import { cut } from "#xml/errors.ts";

export interface ScalarReader {
  readonly kind: "scalar";
  /** The value of an element's text; null if it is empty. Throws LexicalError. */
  read(text: string): unknown;
  readonly type: XsdType;
}
export interface SequenceReader {
  readonly kind: "sequence";
  readonly fields: ReadonlyMap<string, Reader>;
  /** The names of the arrays among them, by the names of their items. */
  readonly arrays: ReadonlyMap<string, string>;
  /** A new value with all fields null, always with the same hidden class. */
  blank(): Record<string, unknown>;
  /** Parameters that must be given: enumerations have no default. */
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
    fields: new Map(entries.map(([name, field]) => [name, readerOf(field)])),
    arrays: new Map(
      entries.flatMap(([name, field]) => (field.kind === "array" ? [[field.item.name, name] as const] : [])),
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

/** The fault for an invalid value: parameter, line, value, expected type. */
export function invalidParameter(name: string, text: string, type: XsdType | null, line: number): Fault {
  const points = [...text.slice(0, MAX_SHOWN * 2 + 2)];
  const shown = points.length > MAX_SHOWN ? `${points.slice(0, MAX_SHOWN).join("")}…` : text;
  const expected = type === null ? "parameters" : expectation(type);
  return new Fault("InvalidParameter", `${name} (line ${line}): "${shown}" is not ${expected}.`);
}
export function missingParameter(name: string, type: XsdType): Fault {
  return new Fault("InvalidParameter", `${name} is required: give ${expectation(type)}.`);
}
export function outsideItsArray(name: string, array: string, line: number): Fault {
  return new Fault("InvalidParameter", `${name} (line ${line}) must be inside ${array}.`);
}
export function reference(name: string, to: string, line: number): Fault {
  return new Fault(
    "InvalidParameter",
    `${name} (line ${line}) refers to "${cut(to)}". References are not followed: write what it refers to into the element itself.`,
  );
}
export function tooManyRecords(name: string, line: number, most: number): Fault {
  return new Fault("InvalidParameter", `${name} (line ${line}) holds more than ${most} records.`);
}
