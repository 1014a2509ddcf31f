/**
 * Maps the header of a subscriber file to columns, by heading or by `--map`; reports all problems of a kind
 * in one message.
 */
import type { Field } from "../../../domain/field.ts";
import { type Column, columnOf, knownSpellings, readHeader, targetNames } from "../../../transfer/columns.ts";
import { bareName } from "../../../transfer/headings.ts";
import { nearest } from "../../kit/arguments/nearest.ts";
import { UsageError } from "../../kit/command.ts";
import { shellWord, shorten } from "../../kit/terminal/terminal-text.ts";

const IGNORE = "ignore";
/** Shorter words are contained in too many others. */
const LEAST_CONTAINED = 5;

export interface HeaderOptions {
  readonly fields: readonly Field[];
  /** As `HEADING=TARGET`. */
  readonly map: readonly string[];
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
  if (!columns.some(({ kind }) => kind === "email")) throw new UsageError(noEmail(cells));
  if (twice !== null) {
    const [earlier, later] = twice;
    throw new UsageError(
      `the columns '${earlier}' and '${later}' map to the same data${keyOf(earlier) === keyOf(later) ? "; rename one" : `; ignore one with --map ${shellWord(`${later}=${IGNORE}`)}`}`,
    );
  }
  if (unknown.length > 0 && !ignoresUnknown) throw new UsageError(unknownColumns(unknown, fields));
  return columns;
}

const keyOf = (heading: string): string => heading.trim().toLowerCase();

function mappedColumns(
  cells: readonly string[],
  map: readonly string[],
  fields: readonly Field[],
): ReadonlyMap<string, Column> {
  const mapped = new Map<string, Column>();
  for (const pair of map) {
    const at = pair.lastIndexOf("=");
    if (at < 1) throw new UsageError(`--map takes HEADING=COLUMN; '${pair}' is not of that form`);
    const heading = headingIn(cells, pair.slice(0, at));
    if (mapped.has(keyOf(heading))) throw new UsageError(`--map names '${heading}' twice`);
    mapped.set(keyOf(heading), targetOf(pair.slice(at + 1).trim(), fields));
  }
  return mapped;
}

function headingIn(cells: readonly string[], wanted: string): string {
  const found =
    cells.find((cell) => keyOf(cell) === keyOf(wanted)) ??
    cells.find((cell) => bareName(cell) === bareName(wanted));
  if (found !== undefined) return found;
  const meant = resembling(wanted, new Map(cells.map((cell) => [bareName(cell), cell.trim()])));
  throw new UsageError(
    `--map names '${wanted}', but the file has no such column${didYouMean(meant)}; its columns are: ${shown(cells)}`,
  );
}

function targetOf(target: string, fields: readonly Field[]): Column {
  if (keyOf(target) === IGNORE) return { kind: "ignored" };
  const found = columnOf(target, fields);
  if (found !== null) return found;
  const meant = resembling(target, knownSpellings(fields));
  throw new UsageError(
    `--map names the column '${target}', which does not exist${didYouMean(meant)}; there are: ${targetNames(fields).join(", ")}, ${IGNORE}`,
  );
}

function noEmail(cells: readonly string[]): string {
  return cells.some((cell) => cell.includes("@"))
    ? `the first row must name the columns, such as email,first_name; it begins with '${shorten(cells[0] ?? "", 60)}'`
    : `no column is named email; the columns are: ${shown(cells)}. Map the right one with --map 'HEADING=email'`;
}

function unknownColumns(unknown: readonly string[], fields: readonly Field[]): string {
  const known = knownSpellings(fields);
  const meant = unknown.map((name) => ({ name: name.trim(), target: resembling(name, known) }));
  const maps = meant.flatMap(({ name, target }) =>
    target === null ? [] : [`--map ${shellWord(`${name}=${target}`)}`],
  );
  return [
    `unknown columns: ${meant.map(({ name, target }) => `'${shorten(name, 60)}'${didYouMean(target)}`).join(", ")}.`,
    ...(maps.length === 0 ? [] : [`To accept that, give ${maps.join(" ")}.`]),
    `For each other column: map it with --map 'HEADING=first_name', create a field for it with 'mailroll field create NAME --type STRING', or ignore it with --map 'HEADING=${IGNORE}' (all unknown columns: --ignore-unknown)`,
  ].join(" ");
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

const didYouMean = (meant: string | null): string => (meant === null ? "" : ` (did you mean ${meant}?)`);
const shown = (cells: readonly string[]): string => shorten(cells.join(", "), 300);
