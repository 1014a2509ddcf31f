/** The columns of a subscriber file, and which of them a heading names. */
import type { Field } from "../../domain/field/field.ts";
import { nameKey } from "../../domain/text/name.ts";
import { bareName, headings, type StandardColumn } from "./headings.ts";

export type Column = StandardColumn | { readonly kind: "field"; readonly field: Field };

const byName: ReadonlyMap<string, Column> = new Map(
  headings.flatMap(([column, names]) => names.map((name) => [bareName(name), column] as const)),
);

/** `#37328` is always a field id. Otherwise standard columns come first, then fields by name, then by id. */
export function columnOf(heading: string, fields: readonly Field[]): Column | null {
  const name = heading.trim();
  const byId = (id: string): Field | undefined => fields.find((field) => String(field.id) === id);
  const field = name.startsWith("#")
    ? byId(name.slice(1))
    : byName.has(bareName(name))
      ? undefined
      : (fields.find((one) => nameKey(one.name) === nameKey(name)) ?? byId(name));
  if (field !== undefined) return { kind: "field", field };
  return byName.get(bareName(name)) ?? null;
}

/** The heading of a field, such that `columnOf` finds it again. */
export function headingOf(field: Field, fields: readonly Field[]): string {
  const found = columnOf(field.name, fields);
  return found?.kind === "field" && found.field.id === field.id ? field.name : `#${field.id}`;
}
export const standardHeading = (wanted: Column): string =>
  headings.find(([column]) => sameColumn(column, wanted))?.[1][0] ?? "";

export interface ColumnTarget {
  readonly column: string;
  /** The name of the custom field; null: a standard column. */
  readonly field: string | null;
}
/** What a heading may be mapped to: the standard columns, and the account's fields. */
export const columnTargets = (fields: readonly Field[]): readonly ColumnTarget[] => [
  ...headings.filter(([{ kind }]) => kind !== "ignored").map(([, [column]]) => ({ column, field: null })),
  ...fields.map((field) => ({ column: headingOf(field, fields), field: field.name })),
];
export const targetNames = (fields: readonly Field[]): readonly string[] =>
  columnTargets(fields).map(({ column }) => column);

/** Every known heading in normalized form, and the column that it names. */
export const knownSpellings = (fields: readonly Field[]): ReadonlyMap<string, string> =>
  new Map([
    ...fields.map((field) => [bareName(field.name), headingOf(field, fields)] as const),
    ...headings.flatMap(([{ kind }, [target, ...others]]) =>
      kind === "ignored" ? [] : [target, ...others].map((name) => [bareName(name), target] as const),
    ),
  ]);

/** The indexes of the columns with dates or times. */
export const dateColumns = (columns: readonly Column[]): readonly number[] =>
  [...columns.keys()].filter((index) => {
    const column = columns[index];
    if (column?.kind === "basic") return column.name === "birthday";
    if (column?.kind === "field") return column.field.type === "DATE";
    return column?.kind === "joined" || column?.kind === "suppression";
  });

export function sameColumn(one: Column, other: Column): boolean {
  if (one.kind === "basic") return other.kind === "basic" && one.name === other.name;
  if (one.kind === "suppression")
    return other.kind === "suppression" && one.suppression === other.suppression;
  if (one.kind === "field") return other.kind === "field" && one.field.id === other.field.id;
  return one.kind === other.kind && one.kind !== "ignored";
}

export interface Header {
  readonly columns: readonly Column[];
  /** Unknown headings; their columns are ignored. */
  readonly unknown: readonly string[];
  /** Two headings that name the same column; null if there are none. */
  readonly twice: readonly [string, string] | null;
}

/** Without the empty cells that spreadsheets append. */
export const widthOf = (header: readonly string[]): number =>
  header.findLastIndex((cell) => cell.trim() !== "") + 1;

/**
 * Trailing columns without a heading are empty and ignored. `mapped` overrides the column of single
 * headings.
 */
export function readHeader(
  cells: readonly string[],
  fields: readonly Field[],
  mapped: (heading: string) => Column | null = () => null,
): Header {
  const names = cells.slice(0, widthOf(cells));
  const found = names.map((name) => mapped(name) ?? columnOf(name, fields));
  const columns = found.map((column): Column => column ?? { kind: "ignored" });
  const unknown = names.filter((_, index) => found[index] === null);
  let twice: Header["twice"] = null;
  for (const [later, column] of columns.entries())
    for (const [earlier, other] of columns.slice(0, later).entries())
      if (sameColumn(column, other)) twice ??= [names[earlier] ?? "", names[later] ?? ""];
  return { columns, unknown, twice };
}
