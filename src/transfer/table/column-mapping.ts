/**
 * Maps the header of a subscriber file to columns, by heading or as the user says; reports all problems of a
 * kind at once.
 */
import type { Field } from "#domain/field/field.ts";
import { nearest } from "#domain/text.ts";
import { type Column, columnOf, knownSpellings, readHeader, targetNames, widthOf } from "./columns.ts";
import { bareName } from "./known-headings.ts";
import { TableProblem } from "./problem.ts";

export const IGNORE = "ignore";
/** Shorter words are contained in too many others. */
const LEAST_CONTAINED = 5;

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

export function requireColumns(
  cells: readonly string[],
  { fields, map, ignoresUnknown }: HeaderOptions,
): readonly Column[] {
  const mapped = mappedColumns(cells, map, fields);
  const { columns, unknown, twice } = readHeader(
    cells,
    fields,
    (heading) => mapped.get(keyOf(heading)) ?? null,
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
  if (unknown.length > 0 && !ignoresUnknown)
    throw new TableProblem({ kind: "unknown columns", unknown: resembled(unknown, fields) });
  return columns;
}

export const keyOf = (heading: string): string => heading.trim().toLowerCase();

/** Each is compared with every known heading, and a table may have thousands. */
const MAX_RESEMBLED = 50;

/** Unknown headings, each with the column that it probably means: the first ones, if there are many. */
export function resembled(
  unknown: readonly string[],
  fields: readonly Field[],
): readonly { readonly heading: string; readonly meant: string | null }[] {
  const known = knownSpellings(fields);
  return unknown.map((heading, index) => ({
    heading: heading.trim(),
    meant: index < MAX_RESEMBLED ? resembling(heading, known) : null,
  }));
}

/** Finds the heading of a table that a user means: the same but for case, or similarly written. */
function headingFinder(cells: readonly string[]): (wanted: string) => string | null {
  const firstBy = (written: (cell: string) => string): ReadonlyMap<string, string> =>
    new Map(cells.toReversed().map((cell) => [written(cell), cell]));
  const [same, similar] = [firstBy(keyOf), firstBy(bareName)];
  return (wanted) => same.get(keyOf(wanted)) ?? similar.get(bareName(wanted)) ?? null;
}

/** What each heading means so far, also if the table cannot be imported like that; null: not known. */
export function guessColumns(
  cells: readonly string[],
  { fields, map }: Pick<HeaderOptions, "fields" | "map">,
): readonly (Column | null)[] {
  const find = headingFinder(cells);
  // If a heading is mapped twice, the first counts.
  const targets = new Map(
    map.toReversed().map(({ heading, column }) => [keyOf(find(heading) ?? heading), column]),
  );
  return cells.slice(0, widthOf(cells)).map((cell) => {
    const target = targets.get(keyOf(cell));
    if (target !== undefined && keyOf(target) === IGNORE) return { kind: "ignored" };
    return columnOf(target ?? cell, fields);
  });
}

function mappedColumns(
  cells: readonly string[],
  map: readonly Mapped[],
  fields: readonly Field[],
): ReadonlyMap<string, Column> {
  const mapped = new Map<string, Column>();
  const find = headingFinder(cells);
  for (const pair of map) {
    const heading = find(pair.heading) ?? noSuchHeading(cells, pair.heading);
    if (mapped.has(keyOf(heading))) throw new TableProblem({ kind: "mapped twice", heading });
    mapped.set(keyOf(heading), targetOf(pair.column.trim(), fields));
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

/** The column that a heading probably means: similar in spelling, or contained in it. */
function resembling(name: string, known: ReadonlyMap<string, string>): string | null {
  const word = bareName(name);
  const spellings = [...known.keys()];
  const contained = spellings
    .filter((spelling) => spelling.length >= LEAST_CONTAINED && word.includes(spelling))
    .sort((a, b) => b.length - a.length);
  const found = nearest(word, spellings) ?? contained[0];
  return found === undefined ? null : (known.get(found) ?? null);
}
