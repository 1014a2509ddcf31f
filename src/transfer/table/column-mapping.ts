/**
 * Maps the header of a subscriber file to columns, by heading or as the user says; reports all problems of a
 * kind at once.
 */
import type { Field } from "#domain/field/field.ts";
import { nameKey, nearest, parseName } from "#domain/text.ts";
import {
  type Column,
  columnOf,
  columnOfHeading,
  headingOf,
  isSameData,
  knownSpellings,
  readHeader,
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

export interface ReadColumns {
  /** The headings, or numbers. */
  readonly names: readonly string[];
  /** Whether the first row is no data. */
  readonly isHeader: boolean;
  readonly columns: readonly Column[];
  /** Whose export the table is; null: not recognised. */
  readonly product: Product | null;
  /** Headings that mean nothing here: their columns are not imported. */
  readonly leftOut: readonly string[];
  /** Nobody has said that columns may be left out, and no product does. */
  readonly mayLeaveOutNoState: boolean;
}

/** Given the first row. */
export function requireColumns(
  first: readonly string[],
  { fields, map, ignoresUnknown, hasHeader }: HeaderOptions,
): ReadColumns {
  const { names: cells, isHeader } = namesOfColumns(first, hasHeader);
  const product = productOfTable(first, hasHeader);
  const mapping = { fields, map, product, hasHeader };
  const mapped = mappedColumns(cells, mapping);
  const { columns, unknown, twice } = readHeader(
    cells,
    (heading) => mapped.get(keyOf(heading)) ?? ownMeaning(heading, mapping),
  );
  const hasEmail = columns.some(({ kind }) => kind === "email");
  if (!hasHeader && (!hasEmail || (unknown.length > 0 && !ignoresUnknown)))
    throw new TableProblem({ kind: "not mapped", unknown, hasEmail, first });
  if (!hasEmail)
    throw new TableProblem(
      cells.some((cell) => cell.includes("@"))
        ? { kind: "no header", first: cells[0] ?? "" }
        : { kind: "no email column", headings: cells },
    );
  if (twice !== null) {
    const [earlier, later] = twice;
    throw new TableProblem({ kind: "same column", earlier, later });
  }
  const unnamed = cells.find(
    (cell, index) => columns[index]?.kind === "new field" && (!hasHeader || parseName(cell) === null),
  );
  if (unnamed !== undefined) throw new TableProblem({ kind: "no field name", heading: unnamed });
  const isThere = new Set(fields.map(({ name }) => nameKey(name)));
  const taken = cells.find(
    (cell, index) =>
      columns[index]?.kind === "new field" &&
      builtInNamed(cell) !== null &&
      !isThere.has(nameKey(cell.trim())),
  );
  if (taken !== undefined)
    throw new TableProblem({ kind: "built-in field", heading: taken, builtIn: builtInNamed(taken) ?? "" });
  const mayLeaveOut = ignoresUnknown || !hasHeader || product !== null;
  const isOrdinary = isOrdinaryTable(columns, unknown);
  const unexpected = unknown.filter(
    (heading) => !isUsuallyLeftOut(heading) && (!isOrdinary || mayBeAboutConsent(heading)),
  );
  if (unexpected.length > 0 && !mayLeaveOut)
    throw new TableProblem({ kind: "unknown columns", unknown: unexpected.map((heading) => heading.trim()) });
  const mayLeaveOutNoState = !mayLeaveOut;
  return { names: cells, isHeader, columns, product, leftOut: unknown, mayLeaveOutNoState };
}

/** Beside the address. */
const LEAST_KNOWN = 3;
/** A table of people, as they are kept in spreadsheets: it has columns of its own besides the usual ones. */
function isOrdinaryTable(columns: readonly Column[], unknown: readonly string[]): boolean {
  const known = columns.filter(({ kind }) => kind !== "ignored" && kind !== "email").length;
  return known + unknown.filter(isUsuallyLeftOut).length >= LEAST_KNOWN;
}

export const productOfTable = (first: readonly string[], hasHeader: boolean): Product | null =>
  hasHeader ? productOf(first) : null;

/**
 * What a column means that is not mapped. A number means nothing; otherwise 7 would be the field with id 7.
 */
function ownMeaning(
  heading: string,
  { fields, product, hasHeader }: Pick<Mapping, "fields" | "product" | "hasHeader">,
): Column | null {
  if (hasHeader) return columnOfHeading(heading, fields, product);
  return rejectedColumns.some((name) => name === heading) ? { kind: "ignored" } : null;
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

/** What each heading means so far, also if the table cannot be imported like that; null: not known. */
export function columnsSoFar(cells: readonly string[], mapping: Mapping): readonly (Column | null)[] {
  const { fields, map } = mapping;
  const find = headingFinder(cells);
  // If a heading is mapped twice, the first counts.
  const targets = new Map(
    map.toReversed().map(({ heading, column }) => [keyOf(find(heading) ?? heading), column]),
  );
  return cells.slice(0, widthOf(cells)).map((cell) => {
    const [target, own] = [targets.get(keyOf(cell)), ownMeaning(cell, mapping)];
    if (target === undefined) return own;
    if (keyOf(target) === IGNORE) return { kind: "ignored" };
    return asItsOwn(columnOf(target, fields), own);
  });
}

/** Somebody says of a column what it is anyway: then its words are those that it has by itself. */
const asItsOwn = (given: Column | null, own: Column | null): Column | null =>
  given !== null && own !== null && isSameData(given, own) ? own : given;

interface Mapping extends Pick<HeaderOptions, "fields" | "map" | "hasHeader"> {
  readonly product: Product | null;
}

function mappedColumns(cells: readonly string[], mapping: Mapping): ReadonlyMap<string, Column> {
  const { fields, map } = mapping;
  const mapped = new Map<string, Column>();
  const find = headingFinder(cells);
  for (const pair of map) {
    const heading = find(pair.heading) ?? noSuchHeading(cells, pair.heading, mapping);
    if (mapped.has(keyOf(heading))) throw new TableProblem({ kind: "mapped twice", heading });
    const given = targetOf(pair.column.trim(), fields);
    mapped.set(keyOf(heading), asItsOwn(given, ownMeaning(heading, mapping)) ?? given);
  }
  return mapped;
}

function noSuchHeading(cells: readonly string[], wanted: string, { hasHeader }: Mapping): never {
  const known = hasHeader ? cells.map((cell) => [bareName(cell), cell.trim()] as const) : [];
  const meant = resembling(wanted, new Map(known));
  throw new TableProblem({ kind: "no such heading", heading: wanted, meant, headings: cells });
}

function targetOf(target: string, fields: readonly Field[]): Column {
  if (keyOf(target) === IGNORE) return { kind: "ignored" };
  const found = columnOf(target, fields);
  if (found !== null) return found;
  const meant = resembling(target, knownSpellings(fields));
  const columns = [...targetNames(fields), IGNORE];
  throw new TableProblem({ kind: "no such column", column: target, meant, columns });
}

/** What somebody probably meant who has mistyped a name. Never used to guess what a heading means. */
function resembling(name: string, known: ReadonlyMap<string, string>): string | null {
  return known.get(nearest(bareName(name), [...known.keys()]) ?? "") ?? null;
}
