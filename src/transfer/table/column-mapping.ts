/**
 * Maps the header of a subscriber file to columns, by heading or as the user says; reports all problems of a
 * kind at once.
 */
import type { Field } from "#domain/field/field.ts";
import { nearest } from "#domain/text.ts";
import {
  type Column,
  columnOf,
  columnOfHeading,
  isSameData,
  knownSpellings,
  readHeader,
  targetNames,
  widthOf,
} from "./columns.ts";
import { bareName, isUsuallyLeftOut } from "./known-headings.ts";
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
}

export interface ReadColumns {
  readonly columns: readonly Column[];
  /** Whose export the table is; null: not recognised. */
  readonly product: Product | null;
  /** Headings that mean nothing here: their columns are not imported. */
  readonly leftOut: readonly string[];
}

export function requireColumns(
  cells: readonly string[],
  { fields, map, ignoresUnknown }: HeaderOptions,
): ReadColumns {
  const product = productOf(cells);
  const mapped = mappedColumns(cells, { fields, map, product });
  const { columns, unknown, twice } = readHeader(
    cells,
    (heading) => mapped.get(keyOf(heading)) ?? columnOfHeading(heading, fields, product),
  );
  if (!columns.some(({ kind }) => kind === "email"))
    throw new TableProblem(
      cells.some((cell) => cell.includes("@"))
        ? { kind: "no header", first: cells[0] ?? "" }
        : { kind: "no email column", headings: cells },
    );
  if (twice !== null) {
    const [earlier, later] = twice;
    throw new TableProblem({ kind: "same column", earlier, later });
  }
  const unexpected = unknown.filter((heading) => !isUsuallyLeftOut(heading));
  if (unexpected.length > 0 && !ignoresUnknown && product === null)
    throw new TableProblem({ kind: "unknown columns", unknown: unexpected.map((heading) => heading.trim()) });
  return { columns, product, leftOut: unknown };
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
export function columnsSoFar(
  cells: readonly string[],
  { fields, map, product }: Mapping,
): readonly (Column | null)[] {
  const find = headingFinder(cells);
  // If a heading is mapped twice, the first counts.
  const targets = new Map(
    map.toReversed().map(({ heading, column }) => [keyOf(find(heading) ?? heading), column]),
  );
  return cells.slice(0, widthOf(cells)).map((cell) => {
    const [target, own] = [targets.get(keyOf(cell)), columnOfHeading(cell, fields, product)];
    if (target === undefined) return own;
    if (keyOf(target) === IGNORE) return { kind: "ignored" };
    return asItsOwn(columnOf(target, fields), own);
  });
}

/** Somebody says of a column what it is anyway: then its words are those that it has by itself. */
const asItsOwn = (given: Column | null, own: Column | null): Column | null =>
  given !== null && own !== null && isSameData(given, own) ? own : given;

interface Mapping extends Pick<HeaderOptions, "fields" | "map"> {
  readonly product: Product | null;
}

function mappedColumns(
  cells: readonly string[],
  { fields, map, product }: Mapping,
): ReadonlyMap<string, Column> {
  const mapped = new Map<string, Column>();
  const find = headingFinder(cells);
  for (const pair of map) {
    const heading = find(pair.heading) ?? noSuchHeading(cells, pair.heading);
    if (mapped.has(keyOf(heading))) throw new TableProblem({ kind: "mapped twice", heading });
    const given = targetOf(pair.column.trim(), fields);
    mapped.set(keyOf(heading), asItsOwn(given, columnOfHeading(heading, fields, product)) ?? given);
  }
  return mapped;
}

function noSuchHeading(cells: readonly string[], wanted: string): never {
  const meant = resembling(wanted, new Map(cells.map((cell) => [bareName(cell), cell.trim()])));
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
