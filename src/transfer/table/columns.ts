/** The columns of a subscriber file, and which of them a heading names. */
import type { Field } from "#domain/field/field.ts";
import { nameKey } from "#domain/text.ts";
import { asksForConsent, bareName, columnByName, headings, type StandardColumn } from "./known-headings.ts";
import { agreed, type Product } from "./products.ts";

export type Column = StandardColumn | { readonly kind: "field"; readonly field: Field };

/** The fields of an account by what a heading may call them; of the same name, the first counts. */
interface FieldIndex {
  readonly byKey: ReadonlyMap<string, Field>;
  readonly byId: ReadonlyMap<string, Field>;
}
/** Made once for the fields of an import: a table may have thousands of headings. */
const indexes = new WeakMap<readonly Field[], FieldIndex>();
function indexOf(fields: readonly Field[]): FieldIndex {
  const known = indexes.get(fields);
  if (known !== undefined) return known;
  const made = {
    byKey: new Map(fields.toReversed().map((field) => [nameKey(field.name), field])),
    byId: new Map(fields.map((field) => [String(field.id), field])),
  };
  indexes.set(fields, made);
  return made;
}

/** What a column is mapped to that asks for consent under another heading. */
export const CONSENT = "consent";
/** No means unsubscribed; yes says nothing, because a date or a state may say more. */
const consent: StandardColumn = { kind: "state", isConsent: true, reads: agreed("unsubscribed") };

/** What only a user or a product says of a column, whatever its heading is. */
const isSaid = ({ kind }: Column): boolean => kind === "name" || isOfFields({ kind });
const isOfFields = ({ kind }: Pick<Column, "kind">): boolean => kind === "attributes" || kind === "new field";

/**
 * What a heading of a table means. A whole name is not recognised by its heading alone. In the export of a
 * product, a column that asks for consent may be anything: the product says itself who is not mailed. A
 * custom field comes before what the product leaves out, and before fields that it would add.
 */
export function columnOfHeading(
  heading: string,
  fields: readonly Field[],
  product: Product | null = null,
): Column | null {
  const ofProduct = product?.columnOf(bareName(heading)) ?? null;
  const found = columnOf(heading, fields);
  const yields = ofProduct?.kind === "ignored" || (ofProduct !== null && isOfFields(ofProduct));
  if (ofProduct !== null && !(yields && found?.kind === "field")) return ofProduct;
  if (found !== null) return isSaid(found) ? null : found;
  return product === null && asksForConsent(heading) ? consent : null;
}

/**
 * What a name of a column means, as users give it. `#37328` is always a field id. Otherwise standard columns
 * come first, then fields by name, then by id.
 */
export function columnOf(heading: string, fields: readonly Field[]): Column | null {
  const name = heading.trim();
  const { byKey, byId } = indexOf(fields);
  const standard = columnByName.get(bareName(name));
  const field = name.startsWith("#")
    ? byId.get(name.slice(1))
    : standard === undefined
      ? (byKey.get(nameKey(name)) ?? byId.get(name))
      : undefined;
  if (field !== undefined) return { kind: "field", field };
  return standard ?? (bareName(name) === CONSENT ? consent : null);
}

/** The heading of a field, such that `columnOf` finds it again. */
export function headingOf(field: Field, fields: readonly Field[]): string {
  const found = columnOf(field.name, fields);
  return found?.kind === "field" && found.field.id === field.id ? field.name : `#${field.id}`;
}
export const standardHeading = (wanted: Column): string =>
  headings.find(([column]) => column.kind !== "ignored" && dataOf(column) === dataOf(wanted))?.[1][0] ?? "";

export interface ColumnTarget {
  readonly column: string;
  /** The name of the custom field; null: a standard column. */
  readonly field: string | null;
}
/** What a heading may be mapped to: the standard columns, and the account's fields. */
export const columnTargets = (fields: readonly Field[]): readonly ColumnTarget[] => [
  ...headings.filter(([{ kind }]) => kind !== "ignored").map(([, [column]]) => ({ column, field: null })),
  { column: CONSENT, field: null },
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
    if (column?.kind === "suppression") return column.reads === undefined;
    return column?.kind === "joined";
  });

/** Whether both are about the same data. */
export const isSameData = (one: Column, other: Column): boolean => dataOf(one) === dataOf(other);
/** Several columns of a product may say something about the same state. */
export const mayRepeat = (column: Column | null): boolean =>
  (column?.kind === "suppression" || column?.kind === "state") && column.reads !== undefined;

/** The same for columns of the same data. */
function dataOf(column: Column): string {
  if (column.kind === "basic") return `basic ${column.name}`;
  if (column.kind === "suppression") return `suppression ${column.suppression}`;
  return column.kind === "field" ? `field ${column.field.id}` : column.kind;
}

/** Without the empty cells that spreadsheets append. */
export const widthOf = (header: readonly string[]): number =>
  header.findLastIndex((cell) => cell.trim() !== "") + 1;

/** Two headings that name the same column; null if there are none. */
export function firstTwice(
  columns: readonly Column[],
  names: readonly string[],
): readonly [string, string] | null {
  const seen = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    if (column.kind === "ignored" || mayRepeat(column)) continue;
    const name = names[index] ?? "";
    const key = column.kind === "new field" ? `new ${nameKey(name.trim())}` : dataOf(column);
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, name];
    seen.set(key, name);
  }
  return null;
}
