/**
 * The vocabulary a contract is written in: XML Schema types as values that carry their TypeScript types.
 *
 * A scalar reads its lexical form (XML Schema Part 2) and writes it; the types it reads to and writes from
 * may differ (`dateTime` reads to the date as written, and writes from a moment). Nothing here knows SOAP,
 * HTTP or any operation. Reading assumes text with the white space already trimmed; only `string` keeps its
 * own.
 */

export type ScalarName = "string" | "int" | "long" | "boolean" | "dateTime" | "unsignedByte";

export interface Scalar<In, Out> {
  readonly kind: "scalar";
  readonly xsd: ScalarName;
  /** Whether the element is optional in the schema. In a request any is optional; see `Given`. */
  readonly minOccurs: 0 | 1;
  /** The expected form, for messages. */
  readonly expected: string;
  read(text: string): In;
  // Methods, not properties: bivariance makes `Scalar<unknown, unknown>` the common supertype without `any`.
  write(value: Out): string;
}
export interface Enumeration<V extends string> {
  readonly kind: "enum";
  readonly name: string;
  readonly values: readonly [V, ...V[]];
}
export interface Sequence<F extends Fields> {
  readonly kind: "sequence";
  readonly name: string;
  readonly fields: F;
}
export interface ArrayOf<E extends Item> {
  readonly kind: "array";
  readonly name: string;
  readonly item: E;
}
export type Item = Sequence<Fields>;
export type XsdType = Scalar<unknown, unknown> | Enumeration<string> | Item | ArrayOf<Item>;
/** Key order is wire order: an XML Schema sequence is ordered. */
export type Fields = { readonly [name: string]: XsdType };

/**
 * What a request holds for a type. Everything but an enumeration may be missing, empty or nil, which is
 * `null`: "not given" is a value of its own, so that a rule can tell it from 0, false and "".
 */
export type Given<T extends XsdType> =
  T extends Scalar<infer In, unknown>
    ? In | null
    : T extends Enumeration<infer V>
      ? V
      : T extends Sequence<infer F>
        ? GivenFields<F> | null
        : T extends ArrayOf<infer E>
          ? readonly NonNullable<Given<E>>[] | null
          : never;
export type GivenFields<F extends Fields> = { readonly [K in keyof F]: Given<F[K]> };

/** What a reply is written from. Only an optional type that is not a string may be null. */
export type Written<T extends XsdType> =
  T extends Scalar<unknown, infer Out>
    ? Out
    : T extends Enumeration<infer V>
      ? V
      : T extends Sequence<infer F>
        ? WrittenFields<F>
        : T extends ArrayOf<infer E>
          ? readonly Written<E>[]
          : never;
export type WrittenFields<F extends Fields> = { readonly [K in keyof F]: Written<F[K]> };

/** Thrown by `read`; the caller adds the element's name, text and line. */
export class LexicalError extends Error {
  override readonly name = "LexicalError";
}

/** A dateTime of a request: `date` is the calendar date as written, whatever the offset. */
export interface DateTime {
  readonly text: string;
  readonly date: string;
  readonly epochMs: number;
}

const INT_MIN = -(2n ** 31n);
const INT_MAX = 2n ** 31n - 1n;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

function readInteger(text: string, min: bigint, max: bigint): bigint {
  // The length limit keeps BigInt from parsing megabytes; leading zeros are legal, but not thousands of them.
  if (text.length <= 1000 && /^[+-]?\d+$/.test(text)) {
    const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
    if (value >= min && value <= max) return value;
  }
  throw new LexicalError();
}

function readBoolean(text: string): boolean {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw new LexicalError();
}

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):(\d\d))?$/;

function readDateTime(text: string): DateTime {
  const m = text.length <= 100 ? DATE_TIME.exec(text) : null;
  if (m === null) throw new LexicalError();
  const [
    ,
    year,
    month,
    day,
    hour = "0",
    minute = "0",
    second = "0",
    fraction = "0",
    sign,
    oh = "0",
    om = "0",
  ] = m;
  const ms = Math.trunc(Number(`0.${fraction}`) * 1000);
  const moment = new Date(0);
  moment.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  moment.setUTCHours(Number(hour), Number(minute), Number(second), ms);
  const valid =
    Number(year) > 0 &&
    moment.getUTCMonth() === Number(month) - 1 &&
    moment.getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(oh) * 60 + Number(om) <= 14 * 60 &&
    Number(om) < 60;
  if (!valid) throw new LexicalError();
  const offsetMinutes = (Number(oh) * 60 + Number(om)) * (sign === "-" ? -1 : 1);
  return { text, date: `${year}-${month}-${day}`, epochMs: moment.getTime() - offsetMinutes * 60_000 };
}

/** In UTC, with a fraction only if there is one. */
export function writeDateTime(epochMs: number): string {
  const text = new Date(epochMs).toISOString();
  return text.endsWith(".000Z") ? `${text.slice(0, -5)}Z` : text.replace(/0+Z$/, "Z");
}

export const string: Scalar<string, string> = {
  kind: "scalar",
  xsd: "string",
  minOccurs: 0,
  expected: "a string",
  read: (text) => text,
  write: (value) => value,
};
export const int: Scalar<number, number> = {
  kind: "scalar",
  xsd: "int",
  minOccurs: 1,
  expected: "an int, a whole number from -2147483648 to 2147483647",
  read: (text) => Number(readInteger(text, INT_MIN, INT_MAX)),
  write: String,
};
export const long: Scalar<bigint, bigint> = {
  kind: "scalar",
  xsd: "long",
  minOccurs: 1,
  expected: "a long, a whole number of at most 64 bits",
  read: (text) => readInteger(text, LONG_MIN, LONG_MAX),
  write: String,
};
export const boolean: Scalar<boolean, boolean> = {
  kind: "scalar",
  xsd: "boolean",
  minOccurs: 1,
  expected: "a boolean: true, false, 1 or 0",
  read: readBoolean,
  write: String,
};
export const dateTime: Scalar<DateTime, number> = {
  kind: "scalar",
  xsd: "dateTime",
  minOccurs: 1,
  expected: "a dateTime: yyyy-mm-dd or yyyy-mm-ddThh:mm:ss, with Z or an offset if you like",
  read: readDateTime,
  write: writeDateTime,
};
export const optionalDateTime: Scalar<DateTime, number | null> = {
  ...dateTime,
  minOccurs: 0,
  write: (value) => (value === null ? "" : writeDateTime(value)),
};
export const unsignedByte: Scalar<number, number> = {
  kind: "scalar",
  xsd: "unsignedByte",
  minOccurs: 1,
  expected: "an unsignedByte, a whole number from 0 to 255",
  read: (text) => Number(readInteger(text, 0n, 255n)),
  write: String,
};

export const enumeration = <const V extends string>(
  name: string,
  ...values: readonly [V, ...V[]]
): Enumeration<V> => ({ kind: "enum", name, values });
export const sequence = <const F extends Fields>(name: string, fields: F): Sequence<F> => ({
  kind: "sequence",
  name,
  fields,
});
export const arrayOf = <E extends Item>(item: E): ArrayOf<E> => ({
  kind: "array",
  name: `ArrayOf${item.name.charAt(0).toUpperCase()}${item.name.slice(1)}`,
  item,
});

/** The expected form of a value, for messages. */
export function expectation(type: XsdType): string {
  switch (type.kind) {
    case "scalar":
      return type.expected;
    case "enum":
      return `one of ${type.values.join(", ")}`;
    case "sequence":
      return `the elements ${Object.keys(type.fields).join(", ")}`;
    case "array":
      return `${type.item.name} elements`;
    default:
      return type satisfies never;
  }
}
