/**
 * Maps the header of a subscriber file to columns, by heading or as the user says; reports all problems of a
 * kind at once.
 */
import type { CsvRow } from "#csv/rows.ts";
import type { Field } from "#domain/field/field.ts";
import { nameKey, nearest, parseName } from "#domain/text.ts";
import {
  type Column,
  columnOf,
  columnOfHeading,
  firstTwice,
  headingOf,
  isSameData,
  knownSpellings,
  standardHeading,
  targetNames,
  widthOf,
} from "./columns.ts";
import {
  bareName,
  builtInNamed,
  isUsuallyLeftOut,
  mayBeAboutConsent,
  rejectedColumns,
} from "./known-headings.ts";
import { meaningsByValues } from "./meanings-by-values.ts";
import { TableProblem } from "./problem.ts";
import { type Product, productOf } from "./products.ts";

export const IGNORE = "ignore";

/** A heading of the file, and the column, field or `IGNORE` that it means. */
export interface Mapped {
  readonly heading: string;
  readonly column: string;
}
export interface HeaderOptions {
  readonly fields: readonly Field[];
  readonly map: readonly Mapped[];
  readonly ignoresUnknown: boolean;
  /** Whether the first row names the columns. Otherwise their numbers do, from 1. */
  readonly hasHeader: boolean;
}

/**
 * What the columns of a table are called. A file of rejected rows has headings in any case; the columns that
 * it adds are not counted, so that it is imported as the file that it comes from.
 */
export function namesOfColumns(
  first: readonly string[],
  hasHeader: boolean,
): { readonly names: readonly string[]; readonly isHeader: boolean } {
  if (hasHeader) return { isHeader: true, names: first };
  const isHeader = rejectedColumns.every((name, index) => first[index] === name);
  const added = isHeader ? rejectedColumns : [];
  const numbers = first.slice(added.length).map((_, index) => String(index + 1));
  return { isHeader, names: [...added, ...numbers] };
}

/** What is known of the columns of a table, also if it cannot be imported like that. */
interface ColumnsSoFar {
  /** The headings, or numbers. */
  readonly names: readonly string[];
  /** Whether the first row is no data. */
  readonly isHeader: boolean;
  /** Whose export the table is; null: not recognised. */
  readonly product: Product | null;
  /** As somebody says, or by the headings; null: not known. */
  readonly byHeading: readonly (Column | null)[];
  /** Also by the values. */
  readonly found: readonly (Column | null)[];
}
type Naming = Pick<HeaderOptions, "fields" | "map" | "hasHeader">;

/** Given the first rows. */
export function columnsSoFar(
  rows: readonly Pick<CsvRow, "cells">[],
  { fields, map, hasHeader }: Naming,
): ColumnsSoFar {
  const first = rows[0]?.cells ?? [];
  const { names, isHeader } = namesOfColumns(first, hasHeader);
  const product = hasHeader ? productOf(first) : null;
  const find = headingFinder(names);
  // If a heading is mapped twice, the first counts.
  const targets = new Map(
    map.toReversed().map(({ heading, column }) => [keyOf(find(heading) ?? heading), column]),
  );
  const byHeading = names.slice(0, widthOf(names)).map((name): Column | null => {
    const target = targets.get(keyOf(name));
    const own = hasHeader ? columnOfHeading(name, fields, product) : meaningOfNumber(name);
    if (target === undefined) return own;
    const given = meaningOf(target, fields);
    // Somebody says of a column what it is anyway: then its words are those that it has by itself.
    return given !== null && own !== null && isSameData(given, own) ? own : given;
  });
  const byValues = meaningsByValues(isHeader ? rows.slice(1) : rows, names, byHeading);
  const found = byHeading.map((column, index) => column ?? byValues.get(index) ?? null);
  return { names, isHeader, product, byHeading, found };
}

/** Otherwise 7 would be the field with id 7. */
const meaningOfNumber = (name: string): Column | null =>
  rejectedColumns.some((one) => one === name) ? { kind: "ignored" } : null;

const meaningOf = (target: string, fields: readonly Field[]): Column | null =>
  keyOf(target) === IGNORE ? { kind: "ignored" } : columnOf(target.trim(), fields);

export interface ReadColumns extends Pick<ColumnsSoFar, "names" | "isHeader" | "product"> {
  readonly columns: readonly Column[];
  /** Names of columns whose values say what they are. */
  readonly byValues: readonly (readonly [name: string, column: Column])[];
  /** Headings that mean nothing here: their columns are not imported. */
  readonly leftOut: readonly string[];
  /** Headings of columns that somebody has said not to import. */
  readonly refused: readonly string[];
  /** Nobody has said that columns may be left out, and no product does. */
  readonly mayLeaveOutNoState: boolean;
}

/** Given the first rows. */
export function requireColumns(
  rows: readonly Pick<CsvRow, "cells">[],
  { ignoresUnknown, ...naming }: HeaderOptions,
): ReadColumns {
  const { fields, hasHeader } = naming;
  const { names: cells, isHeader, product, byHeading, found } = columnsSoFar(rows, naming);
  requireMap(cells, naming);
  const unknown = cells.filter((_, index) => found[index] === null);
  const columns = found.map((column): Column => column ?? { kind: "ignored" });
  // A first row with an address is no header, even if the rows below it have addresses, too.
  const isOfPerson = hasHeader && cells.some((cell) => cell.includes("@"));
  const hasEmail = (isOfPerson ? byHeading : columns).some((column) => column?.kind === "email");
  if (!hasHeader && (!hasEmail || (unknown.length > 0 && !ignoresUnknown)))
    throw new TableProblem({ kind: "not mapped", unknown, hasEmail, first: rows[0]?.cells ?? [] });
  if (!hasEmail)
    throw new TableProblem(
      isOfPerson
        ? { kind: "no header", first: cells[0] ?? "" }
        : { kind: "no email column", headings: cells },
    );
  const twice = firstTwice(columns, cells);
  if (twice !== null) {
    const [earlier, later] = twice;
    throw new TableProblem({ kind: "same column", earlier, later });
  }
  const newFields = cells.filter((_, index) => columns[index]?.kind === "new field");
  const unnamed = newFields.find((cell) => !hasHeader || parseName(cell) === null);
  if (unnamed !== undefined) throw new TableProblem({ kind: "no field name", heading: unnamed });
  const isThere = new Set(fields.map(({ name }) => nameKey(name)));
  for (const heading of newFields) {
    const builtIn = builtInNamed(heading);
    if (builtIn !== null && !isThere.has(nameKey(heading.trim())))
      throw new TableProblem({ kind: "built-in field", heading, builtIn });
  }
  const mayLeaveOut = ignoresUnknown || !hasHeader || product !== null;
  const isOrdinary = isOrdinaryTable(cells, byHeading);
  const unexpected = unknown.filter(
    (heading) => !isUsuallyLeftOut(heading) && (!isOrdinary || mayBeAboutConsent(heading)),
  );
  if (unexpected.length > 0 && !mayLeaveOut)
    throw new TableProblem({ kind: "unknown columns", unknown: unexpected.map((heading) => heading.trim()) });
  return {
    ...{ names: cells, isHeader, product, columns },
    byValues: columns.flatMap((column, index) =>
      byHeading[index] === null && found[index] !== null ? [[cells[index] ?? "", column] as const] : [],
    ),
    ...{ leftOut: unknown, refused: refusedIn(naming), mayLeaveOutNoState: !mayLeaveOut },
  };
}

const refusedIn = ({ map }: Naming): readonly string[] =>
  map.filter(({ column }) => keyOf(column) === IGNORE).map(({ heading }) => heading);

/** Beside the address. */
const LEAST_KNOWN = 3;
/** A table of people, as they are kept in spreadsheets: it has columns of its own besides the usual ones. */
function isOrdinaryTable(names: readonly string[], columns: readonly (Column | null)[]): boolean {
  const usual = columns.filter((column, index) =>
    column === null
      ? isUsuallyLeftOut(names[index] ?? "")
      : column.kind !== "ignored" && column.kind !== "email",
  );
  return usual.length >= LEAST_KNOWN;
}

/** What an import calls the data that it reads from a column. */
export function targetName(column: Column, fields: readonly Field[]): string {
  if (column.kind === "ignored") return IGNORE;
  return column.kind === "field" ? headingOf(column.field, fields) : standardHeading(column);
}

export const keyOf = (heading: string): string => heading.trim().toLowerCase();

/** Finds the heading of a table that a user means: the same but for case, or similarly written. */
function headingFinder(cells: readonly string[]): (wanted: string) => string | null {
  const firstBy = (written: (cell: string) => string): ReadonlyMap<string, string> =>
    new Map(cells.toReversed().map((cell) => [written(cell), cell]));
  const [same, similar] = [firstBy(keyOf), firstBy(bareName)];
  return (wanted) => same.get(keyOf(wanted)) ?? similar.get(bareName(wanted)) ?? null;
}

/** Throws a TableProblem if what the user says of headings makes no sense. */
function requireMap(cells: readonly string[], { fields, map, hasHeader }: Naming): void {
  const find = headingFinder(cells);
  const mapped = new Set<string>();
  for (const { heading: wanted, column: target } of map) {
    const heading = find(wanted);
    if (heading === null) {
      const known = hasHeader ? cells.map((cell) => [bareName(cell), cell.trim()] as const) : [];
      const meant = resembling(wanted, new Map(known));
      throw new TableProblem({ kind: "no such heading", heading: wanted, meant, headings: cells });
    }
    if (mapped.has(keyOf(heading))) throw new TableProblem({ kind: "mapped twice", heading });
    mapped.add(keyOf(heading));
    if (meaningOf(target, fields) !== null) continue;
    const column = target.trim();
    const meant = resembling(column, knownSpellings(fields));
    const columns = [...targetNames(fields), IGNORE];
    throw new TableProblem({ kind: "no such column", column, meant, columns });
  }
}

/** What somebody probably meant who has mistyped a name. Never used to guess what a heading means. */
function resembling(name: string, known: ReadonlyMap<string, string>): string | null {
  return known.get(nearest(bareName(name), [...known.keys()]) ?? "") ?? null;
}
