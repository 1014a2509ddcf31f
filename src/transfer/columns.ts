/** Which columns a table of people may have, and how their names are written elsewhere. The one place for them. */
import type { Field } from "../domain/field.ts";
import { nameKey } from "../domain/name.ts";
import type { BasicData, FactName } from "../domain/subscriber.ts";

export type Column =
  | { readonly kind: "email" }
  | { readonly kind: "joined" }
  | { readonly kind: "state" }
  | { readonly kind: "ignored" }
  | { readonly kind: "basic"; readonly name: keyof BasicData }
  | { readonly kind: "fact"; readonly fact: FactName }
  | { readonly kind: "field"; readonly field: Field };

/** The first name is the one that we write. Compared without case, accents, blanks, dots, hyphens and underscores. */
const standard: readonly (readonly [column: Column, names: readonly [string, ...string[]]])[] = [
  [
    { kind: "email" },
    ["email", "email_address", "mail", "correo", "correo_electronico", "endereco_de_email"],
  ],
  [{ kind: "basic", name: "firstName" }, ["first_name", "fname", "given_name", "forename", "nombre", "nome"]],
  [
    { kind: "basic", name: "lastName" },
    ["last_name", "lname", "surname", "family_name", "apellido", "apellidos", "sobrenome"],
  ],
  [{ kind: "basic", name: "gender" }, ["gender", "sex", "sexo", "genero"]],
  [
    { kind: "basic", name: "birthday" },
    ["birthday", "birth_date", "date_of_birth", "dob", "fecha_de_nacimiento", "data_de_nascimento"],
  ],
  [{ kind: "basic", name: "country" }, ["country", "country_code", "pais"]],
  [
    { kind: "joined" },
    ["subscribed_at", "subscribed", "subscribed_date", "joined", "joined_at", "date_added", "optin_time"],
  ],
  [{ kind: "state" }, ["state", "status", "estado"]],
  [
    { kind: "fact", fact: "unsubscribed" },
    ["unsubscribed_at", "unsubscribed", "unsubscribed_date", "optout_time", "unsub_time"],
  ],
  [{ kind: "fact", fact: "bounced" }, ["bounced_at", "bounced", "bounced_date"]],
  [{ kind: "fact", fact: "complained" }, ["complained_at", "complained", "complained_date"]],
  [{ kind: "fact", fact: "blocked" }, ["blocked_at", "blocked", "blocked_date"]],
  // What a report of rejected rows adds, so that it can be given again.
  [{ kind: "ignored" }, ["rejected_line"]],
  [{ kind: "ignored" }, ["rejected_reason"]],
];

export const bareName = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[\s._-]+/g, "");

const byName: ReadonlyMap<string, Column> = new Map(
  standard.flatMap(([column, names]) => names.map((name) => [bareName(name), column] as const)),
);

/** `#37328` is always a field's id; else our own columns come first, then fields by name, then by id. */
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

/** How a column is written so that `columnOf` finds it again. */
export function headingOf(field: Field, fields: readonly Field[]): string {
  const found = columnOf(field.name, fields);
  return found?.kind === "field" && found.field.id === field.id ? field.name : `#${field.id}`;
}
export const standardHeading = (wanted: Column): string =>
  standard.find(([column]) => sameColumn(column, wanted))?.[1][0] ?? "";

export const knownHeadings = (fields: readonly Field[]): readonly string[] => [
  ...standard.map(([, [name]]) => name),
  ...fields.map(({ name }) => name),
];

export function sameColumn(one: Column, other: Column): boolean {
  if (one.kind === "basic") return other.kind === "basic" && one.name === other.name;
  if (one.kind === "fact") return other.kind === "fact" && one.fact === other.fact;
  if (one.kind === "field") return other.kind === "field" && one.field.id === other.field.id;
  return one.kind === other.kind && one.kind !== "ignored";
}

export interface Header {
  readonly columns: readonly Column[];
  /** Headings that name nothing; their columns are ignored. */
  readonly unknown: readonly string[];
  /** Two headings that name the same, null where there are none. */
  readonly twice: readonly [string, string] | null;
}

/** Columns without a heading are known to hold nothing where they are the last ones. */
export function readHeader(cells: readonly string[], fields: readonly Field[]): Header {
  let width = cells.length;
  while (width > 0 && cells[width - 1]?.trim() === "") width -= 1;
  const headings = cells.slice(0, width);
  const found = headings.map((heading) => columnOf(heading, fields));
  const columns = found.map((column): Column => column ?? { kind: "ignored" });
  const unknown = headings.filter((_, index) => found[index] === null);
  let twice: Header["twice"] = null;
  for (const [later, column] of columns.entries())
    for (const [earlier, other] of columns.slice(0, later).entries())
      if (sameColumn(column, other)) twice ??= [headings[earlier] ?? "", headings[later] ?? ""];
  return { columns, unknown, twice };
}
