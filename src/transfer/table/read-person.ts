/**
 * Reads a row into a subscriber with normalized values, by the rules of the service, or returns why the row
 * is rejected.
 */

import type { CsvRow } from "#csv/rows.ts";
import { type Address, hasMisplacedDot } from "#domain/address.ts";
import { dateOf, parseDate } from "#domain/calendar.ts";
import { parseCountry } from "#domain/country.ts";
import { expectedValue, MAX_TEXT_LENGTH, parseCustomValue, parseText } from "#domain/field/custom-value.ts";
import type { DataType, Field } from "#domain/field/field.ts";
import type { ImportedPerson } from "#domain/import/rules.ts";
import {
  type BasicData,
  parseGender,
  type State,
  type SuppressionKind,
} from "#domain/subscriber/subscriber.ts";
import { nameKey } from "#domain/text.ts";
import { attributesIn } from "../values/attributes.ts";
import { readMailbox } from "../values/mailbox.ts";
import { isPendingState, parseState, stateNames } from "../values/states.ts";
import { type DateOrder, dateProblem, isSet, readTime, toIsoDate } from "../values/time.ts";
import { isYes, yesNo } from "../values/yes-no.ts";
import type { Column } from "./columns.ts";
import { bareName } from "./known-headings.ts";

/** Country names in the supported languages, from the Unicode locale data. */
const languages = ["en", "es", "pt", "de", "fr", "it", "nl"];
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

let codes: ReadonlyMap<string, string> | null = null;

/** Built on first use. A name of two countries is left out. */
function codesByName(): ReadonlyMap<string, string> {
  if (codes !== null) return codes;
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  const known = letters
    .flatMap((a) => letters.map((b) => a + b))
    .filter((code) => parseCountry(code) === code);
  for (const language of languages) {
    const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of known) {
      const name = bareName(names.of(code) ?? "");
      if ((found.get(name) ?? code) !== code) ambiguous.add(name);
      found.set(name, code);
    }
  }
  for (const name of ["", ...ambiguous]) found.delete(name);
  codes = found;
  return found;
}

/** Longer than any name. */
const MAX_COUNTRY_LENGTH = 100;

/** Names in use that are not those of the locale data. */
const otherNames: Readonly<Record<string, string>> = {
  ...{ uk: "GB", greatbritain: "GB", england: "GB", scotland: "GB", wales: "GB", northernireland: "GB" },
  ...{ czechrepublic: "CZ", tschechischerepublik: "CZ", holland: "NL", turkey: "TR", vietnam: "VN" },
  ...{ unitedstatesofamerica: "US", russianfederation: "RU", republicofkorea: "KR" },
  ...{ ivorycoast: "CI", hongkong: "HK", macau: "MO" },
  // As on vehicles and, in German tables, before a postcode.
  ...{ a: "AT", b: "BE", d: "DE", e: "ES", f: "FR", i: "IT", l: "LU", n: "NO", p: "PT", s: "SE" },
};

/** The code of a country by its name; any other text is returned unchanged. */
function countryCode(text: string): string {
  if (text.length > MAX_COUNTRY_LENGTH) return text;
  const name = bareName(text);
  return codesByName().get(name) ?? (Object.hasOwn(otherNames, name) ? (otherNames[name] ?? text) : text);
}

/**
 * Translates genders of other languages into the words of the service. Ambiguous single letters (H and V are
 * men in Spanish, V is a woman in Dutch) are not translated, and so rejected, unless the column says more.
 */
const men = [
  ...["male", "man", "hombre", "varón", "masculino", "homem", "männlich", "maennlich", "mann", "herr"],
  ...["homme", "masculin", "maschio", "uomo", "maschile", "mannelijk", "mr", "señor", "monsieur"],
];
const women = [
  ...["female", "woman", "mujer", "femenino", "femenina", "mulher", "feminino", "weiblich", "w", "frau"],
  ...["femme", "féminin", "femmina", "donna", "femminile", "vrouw", "vrouwelijk", "mrs", "ms", "madame"],
  "señora",
];
const others = ["divers", "d", "diverse", "non-binary", "nonbinary", "other"];

const pairs = (words: readonly string[], meant: string): readonly (readonly [string, string])[] =>
  words.map((word) => [bareName(word), meant] as const);
const genders = new Map([...pairs(men, "M"), ...pairs(women, "F"), ...pairs(others, "X")]);
const byType: Partial<Readonly<Record<DataType, ReadonlyMap<string, string>>>> = {
  BOOLEAN: yesNo,
  CONSENT: yesNo,
  PERMISSION: yesNo,
  GDPR: yesNo,
  GENDER: genders,
};
/** Longer than any word. */
const MAX_WORD_LENGTH = 32;

/** The service's word for it; any other text is returned unchanged. */
const plainWord = (type: DataType, text: string): string =>
  (text.length <= MAX_WORD_LENGTH ? byType[type]?.get(bareName(text)) : undefined) ?? text;

/**
 * What only a whole column says, known after the first pass. Genders: with H, and without F, it is Spanish: H
 * is a man and M a woman; with H and F, and without M, it is French. Consent: where nobody says no and some
 * say yes, an empty cell is a no.
 */
export class WholeColumns {
  readonly #columns: readonly Column[];
  readonly #gender: number;
  readonly #consent: number;
  readonly #letters = new Set<string>();
  readonly #answers = new Set<boolean>();

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.#gender = columns.findIndex((column) => column.kind === "basic" && column.name === "gender");
    this.#consent = columns.findIndex((column) => column.kind === "state" && column.isConsent === true);
  }
  look(row: CsvRow): void {
    if (!isInPlace(row, this.#columns.length)) return;
    const { cells } = row;
    const letter = cells[this.#gender]?.trim();
    if (letter?.length === 1) this.#letters.add(letter.toUpperCase());
    const answer = isYes(cells[this.#consent] ?? "");
    if (answer !== null) this.#answers.add(answer);
  }
  /** The letter of the service; any other text is returned unchanged. */
  genderIn(text: string): string {
    const [letter, seen] = [text.trim().toUpperCase(), this.#letters];
    if (!seen.has("H") || (seen.has("F") && seen.has("M"))) return text;
    return letter === "H" ? "M" : letter === "M" ? "F" : text;
  }
  isNoWhereEmpty(index: number): boolean {
    return index === this.#consent && this.#answers.has(true) && !this.#answers.has(false);
  }
}

export interface Reading {
  readonly now: number;
  /** By column index; null: an ambiguous date is rejected. */
  readonly dates: readonly (DateOrder | null)[];
  /** The account's country, for telephone numbers in national format. */
  readonly country: string | null;
  /** Absent: there was no first pass. */
  readonly whole?: WholeColumns;
  /** Whether a value that is not valid rejects its row. Otherwise the person is imported without it. */
  readonly isStrict: boolean;
}
/** A value that is not valid. */
interface Invalid {
  readonly index: number;
  /** Of one of several in the cell. */
  readonly attribute?: string;
  readonly reason: string;
}
interface ReadPerson {
  readonly person: ImportedPerson;
  /** null: not blocked in the file. A block without a date is added with the time of the import. */
  readonly block: { readonly at: number | null } | null;
  readonly leftOut: readonly Invalid[];
}

/** Thrown and caught in this file: a row can be invalid in many places. */
class Wrong extends Error {}

const DAY_MS = 86_400_000;
const SHOWN = 60;
/** As in a spreadsheet. Nothing looks at a longer text. */
const MAX_CELL = 32_767;
const MAX_ATTRIBUTES_CELL = 65_536;
/** A value in a reason, shortened. */
export const quoted = (text: string): string =>
  `'${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}'`;

/**
 * Why a row has the wrong number of cells, or null; additional empty cells are ignored.
 */
export function wrongWidth(cells: readonly string[], width: number): string | null {
  const isRight = cells.length >= width && cells.slice(width).every((cell) => cell.trim() === "");
  return isRight
    ? null
    : `the numbers of cells differ: ${cells.length} in the row, ${width} in the first one`;
}

/** Cells of a malformed row may be in other columns. */
export const isInPlace = ({ cells, problem }: Pick<CsvRow, "cells" | "problem">, width: number): boolean =>
  problem === null && wrongWidth(cells, width) === null;

/**
 * A time in the file. It may be up to a day ahead, because of other time zones; a later one is an error.
 */
export function readMoment(text: string, now: number, order: DateOrder | null): number | string {
  const time = readTime(toIsoDate(text, order));
  if (time === null)
    return `${quoted(text)} ${dateProblem(text, order, "2026-11-01 or a time such as 2026-11-01 10:00:00")}`;
  return time > now + DAY_MS ? `${quoted(text)} is in the future` : Math.min(time, now);
}

/**
 * The keys of the addresses that the row may be about: that of its address column. The cells of a row with
 * the wrong width or a syntax error may be shifted: if the address column has no address, each cell with an
 * address counts.
 */
export function addressKeysOf(
  columns: readonly Column[],
  row: Pick<CsvRow, "cells" | "problem">,
): readonly string[] {
  const own = keysIn(row.cells[columns.findIndex(({ kind }) => kind === "email")] ?? "");
  return own.length === 0 && !isInPlace(row, columns.length) ? row.cells.flatMap(keysIn) : own;
}

function keysIn(cell: string): readonly string[] {
  const address = readMailbox(cell);
  return typeof address === "string" ? [] : [address.key];
}

export function personReader(
  columns: readonly Column[],
  reading: Reading,
): (cells: readonly string[]) => ReadPerson | string {
  return (cells) => {
    try {
      return read(columns, cells, reading);
    } catch (error) {
      if (error instanceof Wrong) return error.message;
      throw error;
    }
  };
}

/**
 * Without these, a person is still the same, and gets no mail that they should not get. A column "subscribed"
 * without dates may say no.
 */
const isOptional = ({ kind }: Column, text: string): boolean =>
  ["basic", "name", "field", "attributes"].includes(kind) || (kind === "joined" && /\d\D*\d/.test(text));

function read(columns: readonly Column[], cells: readonly string[], reading: Reading): ReadPerson {
  const wrong = wrongWidth(cells, columns.length);
  if (wrong !== null) throw new Wrong(wrong);
  let address: Address | null = null;
  let joinedAt: number | null = null;
  let state: State | null = null;
  let pending: string | null = null;
  const told: Partial<Record<SuppressionKind, number>> = {};
  /** What is known without a date, in words of a product. */
  const undated: Partial<Record<SuppressionKind, null>> = {};
  const data: { -readonly [K in keyof BasicData]?: BasicData[K] } = {};
  const values: { field: Field["id"]; value: string }[] = [];
  const leftOut: Invalid[] = [];
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    const text = cells[index] ?? "";
    const order = reading.dates[index] ?? null;
    if (column?.kind === "suppression" && column.isOfAll === true) undated[column.suppression] = null;
    if (text.trim() === "" && reading.whole?.isNoWhereEmpty(index) === true)
      state = firstUnmailed(state, "unsubscribed");
    if (text.trim() === "" && column?.kind === "state" && column.isPendingIfEmpty === true)
      pending = "no consent is given";
    if (column === undefined || column.kind === "ignored" || text.trim() === "") continue;
    try {
      const most = column.kind === "attributes" ? MAX_ATTRIBUTES_CELL : MAX_CELL;
      if (text.length > most)
        throw new Wrong(`${quoted(text)} is too long: a cell has at most ${most} characters`);
      switch (column.kind) {
        case "email":
          address = readAddress(text);
          break;
        case "basic":
          readBasic(data, column.name, text, { ...reading, order });
          break;
        case "joined":
          if (isSet(text)) joinedAt = required(readMoment(text, reading.now, order));
          break;
        case "name":
          readName(data, text);
          break;
        case "suppression":
          if (column.reads !== undefined) {
            const own = column.reads(text);
            if (own === undefined) throw new Wrong(`${quoted(text)} says neither yes nor no`);
            if (own !== null) undated[column.suppression] = null;
          } else if (isSet(text)) told[column.suppression] = required(readMoment(text, reading.now, order));
          break;
        case "state": {
          const own = column.reads?.(text);
          if (own === null) break;
          const told = own ?? (isPendingState(text) ? "pending" : (parseState(text) ?? wrongState(text)));
          if (told === "pending") pending = quoted(text);
          else state = firstUnmailed(state, told);
          break;
        }
        case "field":
          values.push({
            field: column.field.id,
            value: readValue(column.field, text, order, reading.country),
          });
          break;
        case "attributes":
          leftOut.push(
            ...readAttributes(values, column.fields, text, reading).map((one) => ({ index, ...one })),
          );
          break;
        case "new field":
          throw new Error("the field of a column was not created");
        default:
          column satisfies never;
      }
    } catch (error) {
      if (!(error instanceof Wrong) || reading.isStrict || !isOptional(column, text)) throw error;
      leftOut.push({ index, reason: error.message });
    }
  }
  if (address === null) throw new Wrong("the address is missing");
  const { blocked, ...suppressions } = { ...undated, ...suppressionsOf(state, told, joinedAt) };
  const isSuppressed = blocked !== undefined || Object.keys(suppressions).length > 0;
  // Somebody who must not be mailed is stored, confirmed or not.
  if (pending !== null && !isSuppressed)
    throw new Wrong(
      `${pending}: the person has not confirmed, and a file cannot confirm for a person; leave the row out`,
    );
  if (!isSuppressed && hasMisplacedDot(address))
    throw new Wrong(`${quoted(address.text)} is not an e-mail address: ${DOT_PROBLEM}`);
  return {
    person: { address, joinedAt, suppressions, data, values },
    block: blocked === undefined ? null : { at: blocked },
    leftOut,
  };
}

/** Returns those that are not valid. An attribute without a field was named before the first row. */
function readAttributes(
  values: { readonly field: Field["id"]; readonly value: string }[],
  fields: ReadonlyMap<string, Field> = new Map(),
  text: string,
  { country, isStrict }: Reading,
): readonly Omit<Invalid, "index">[] {
  const attributes = attributesIn(text);
  if (attributes === null) throw new Wrong(`${quoted(text)} is not a JSON object`);
  const leftOut: Omit<Invalid, "index">[] = [];
  for (const { name, value } of attributes) {
    const field = fields.get(nameKey(name.trim()));
    // The same name in another case.
    if (field === undefined || values.some((one) => one.field === field.id)) continue;
    try {
      values.push({ field: field.id, value: readValue(field, value, null, country) });
    } catch (error) {
      if (!(error instanceof Wrong) || isStrict) throw error;
      leftOut.push({ attribute: field.name, reason: error.message });
    }
  }
  return leftOut;
}

/** Of several columns, one that says that somebody must not be mailed counts. */
const firstUnmailed = (before: State | null, now: State): State =>
  before === null || before === "active" ? now : before;

/**
 * Calls may add such an address, because browsers and existing programs accept it; a file that has one has a
 * typing error. A person who must not be mailed is stored nevertheless.
 */
const DOT_PROBLEM = "the part before the @ begins or ends with a dot, or has two dots in a row";

function wrongState(text: string): never {
  throw new Wrong(`${quoted(text)} is not a state; use one of: ${stateNames}`);
}

/** Split at the last space. What has one part only, or a comma, is the first name as a whole. */
function partsOfName(text: string): readonly [first: string, last: string | null] {
  const name = text.trim();
  const at = name.includes(",") ? -1 : name.lastIndexOf(" ");
  return at < 0 ? [name, null] : [name.slice(0, at).trim(), name.slice(at + 1)];
}
function readName(data: { -readonly [K in keyof BasicData]?: BasicData[K] }, text: string): void {
  const [first, last] = partsOfName(text);
  const names = { firstName: nameIn(first), ...(last === null ? {} : { lastName: nameIn(last) }) };
  Object.assign(data, names);
}

export interface SplitName {
  readonly whole: string;
  readonly first: string;
  readonly last: string;
}
const MAX_EXAMPLES = 3;
/**
 * Some names of a table and how they are split, to be looked at. They are data of people: nothing keeps them.
 */
export class NameExamples {
  readonly found: SplitName[] = [];
  readonly #columns: readonly (Column | null)[];
  readonly #index: number;

  constructor(columns: readonly (Column | null)[]) {
    this.#columns = columns;
    this.#index = columns.findIndex((column) => column?.kind === "name");
  }
  look(row: CsvRow): void {
    if (this.#index < 0 || this.found.length === MAX_EXAMPLES) return;
    if (!isInPlace(row, this.#columns.length)) return;
    const whole = row.cells[this.#index]?.trim() ?? "";
    if (whole.length > SHOWN || this.found.some((one) => one.whole === whole)) return;
    const [first, last] = partsOfName(whole);
    if (last !== null) this.found.push({ whole, first, last });
  }
}
function nameIn(text: string): string {
  const kept = parseText(text);
  if (kept === null)
    throw new Wrong(`a name has at most ${MAX_TEXT_LENGTH} characters and no control characters`);
  return kept;
}

function readAddress(text: string): Address {
  const found = readMailbox(text);
  if (typeof found === "string") throw new Wrong(`${quoted(text)} is not an e-mail address: ${found}`);
  return found;
}

function required<T>(given: T | string): T {
  if (typeof given === "string") throw new Wrong(given);
  return given;
}

/**
 * Which suppressions hold. An active subscriber may have resubscribed after one; if in doubt, the row is
 * rejected.
 */
function suppressionsOf(
  state: State | null,
  told: Partial<Record<SuppressionKind, number>>,
  joinedAt: number | null,
): Partial<Record<SuppressionKind, number | null>> {
  if (state === null) return told;
  if (state !== "active") return { ...told, [state]: told[state] ?? null };
  for (const [suppression, at] of Object.entries(told))
    if (joinedAt === null || at >= joinedAt)
      throw new Wrong(
        `the state is active, but there is a date in ${suppression}_at and no later one in subscribed_at; correct one of them`,
      );
  return {};
}

function readBasic(
  data: { -readonly [K in keyof BasicData]?: BasicData[K] },
  name: keyof BasicData,
  text: string,
  { now, order, whole }: Pick<Reading, "now" | "whole"> & { readonly order: DateOrder | null },
): void {
  switch (name) {
    case "firstName":
    case "lastName":
      data[name] = nameIn(text);
      return;
    case "gender": {
      const gender = parseGender(plainWord("GENDER", whole?.genderIn(text) ?? text));
      if (gender === null) throw new Wrong(`${quoted(text)} is not a gender; use M, F or X`);
      data.gender = gender;
      return;
    }
    case "birthday": {
      if (!isSet(text)) return;
      const birthday = parseDate(toIsoDate(text, order));
      if (birthday === null) throw new Wrong(`${quoted(text)} ${dateProblem(text, order, "1985-12-10")}`);
      if (birthday > dateOf(now)) throw new Wrong(`the birthday ${quoted(text)} is in the future`);
      data.birthday = birthday;
      return;
    }
    case "country": {
      if (/^\s*0+\s*$/.test(text)) return;
      const country = readCountry(text);
      if (country === null)
        throw new Wrong(
          `${quoted(text)} is not a country; use its name or an ISO 3166-1 code such as AR, ARG or 32`,
        );
      data.country = country;
      return;
    }
    default:
      name satisfies never;
  }
}

/** Codes first: they are the common case, and no code is read as a name. */
const readCountry = (text: string): string | null => parseCountry(text) ?? parseCountry(countryCode(text));

/** One letter is a country only in a column of countries. */
export const isCountry = (text: string): boolean => text.length > 1 && readCountry(text) !== null;
export const isGender = (text: string): boolean => parseGender(plainWord("GENDER", text)) !== null;

function readValue(
  { name, type }: Field,
  text: string,
  order: DateOrder | null,
  homeCountry: string | null,
): string {
  if (type === "EMAIL") return readAddress(text).text;
  const country = type === "COUNTRY" ? readCountry(text) : null;
  if (country !== null) return country;
  const kept = parseCustomValue(
    type,
    type === "DATE" ? toIsoDate(text, order) : plainWord(type, text),
    homeCountry,
  );
  if (kept === null)
    throw new Wrong(
      type === "DATE"
        ? `${quoted(text)} ${dateProblem(text, order, "2026-11-14")}`
        : `${quoted(text)} is not valid for the field ${name} (${type}), which takes ${expectedValue[type]}`,
    );
  return kept;
}
