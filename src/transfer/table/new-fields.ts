/**
 * The fields that an import creates before its first row: of columns that become one, and of columns with
 * JSON attributes, whose names and types are known after the first pass. Nothing is created in a dry run.
 */
import type { CsvRow } from "#csv/rows.ts";
import type { DataType, Field } from "#domain/field/field.ts";
import { nameKey, parseName } from "#domain/text.ts";
import { type Attribute, attributesIn } from "../values/attributes.ts";
import { type Column, columnOf } from "./columns.ts";
import { asksForConsent } from "./known-headings.ts";
import { TableProblem } from "./problem.ts";
import { isInPlace } from "./read-person.ts";

/** Of one column, and as many as an import creates for it. */
const MAX_ATTRIBUTES = 50;
const MAX_NAMED = 5;

/** The names and types of attributes: of the first ones, and of those that mean something here already. */
export class AttributeTypes {
  readonly #known: ReadonlySet<string>;
  /** By the key of the name. */
  readonly names = new Map<string, { readonly name: string; type: DataType }>();
  /** Some that do not become a field. */
  readonly others = new Set<string>();

  /** `known`: keys of names. */
  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  look(attributes: readonly Attribute[]): void {
    for (const { name: given, type } of attributes) {
      const name = parseName(given);
      const key = nameKey(name ?? "");
      const found = this.names.get(key);
      if (found !== undefined) found.type = found.type === type ? type : "STRING";
      else if (name !== null && (this.#known.has(key) || this.#mayBecomeField(name)))
        this.names.set(key, { name, type });
      else if (this.others.size <= MAX_NAMED) this.others.add(given.includes("@") ? "…" : given);
    }
  }

  /**
   * With a field Newsletter, the column Newsletter of a later table would unsubscribe nobody any more, and a
   * field called like a standard column could not be filled from one. What
   * has an address is data of a person, which neither the names of fields nor the results of jobs contain.
   */
  #mayBecomeField(name: string): boolean {
    return (
      this.names.size < MAX_ATTRIBUTES &&
      !asksForConsent(name) &&
      columnOf(name, []) === null &&
      !name.includes("@")
    );
  }

  /** `where` they are, such as "of the column 'attributes'". */
  notes(where: string): readonly string[] {
    if (this.others.size === 0) return [];
    const named = [...this.others].slice(0, MAX_NAMED).map((name) => `'${name.slice(0, 100)}'`);
    return [
      `these attributes ${where} are not imported: ${named.join(", ")}${this.others.size > MAX_NAMED ? " and more" : ""}; at most ${MAX_ATTRIBUTES} become new fields, none of which asks for consent or is called like a column such as state, and their names have 1 to 100 characters; to import another one, create a field with its name first`,
    ];
  }
}

interface NewField {
  readonly name: string;
  readonly type: DataType;
}
const typeNames: Partial<Readonly<Record<DataType, string>>> = {
  BOOLEAN: "yes/no",
  REAL: "number",
  DATE: "date",
};

interface Fields {
  readonly fields: readonly Field[];
  /** How many the account may have; null: no limit. */
  readonly fieldLimit: number | null;
}

export class NewFields {
  readonly #header: readonly string[];
  readonly #columns: readonly Column[];
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #limit: number | null;
  readonly #attributes: readonly { readonly index: number; readonly types: AttributeTypes }[];

  constructor(header: readonly string[], columns: readonly Column[], { fields, fieldLimit }: Fields) {
    this.#header = header;
    this.#columns = columns;
    this.#fields = new Map(fields.map((field) => [nameKey(field.name), field]));
    this.#limit = fieldLimit;
    const known = new Set(this.#fields.keys());
    this.#attributes = columns.flatMap(({ kind }, index) =>
      kind === "attributes" ? [{ index, types: new AttributeTypes(known) }] : [],
    );
  }

  look(row: CsvRow): void {
    if (this.#attributes.length === 0 || !isInPlace(row, this.#columns.length)) return;
    for (const { index, types } of this.#attributes) types.look(attributesIn(row.cells[index] ?? "") ?? []);
  }

  #heading(index: number): string {
    return this.#header[index]?.trim() ?? "";
  }

  /** By the key of the name; those that are there already are not among them. */
  #wanted(): ReadonlyMap<string, NewField> {
    const ofColumns = this.#columns.flatMap(({ kind }, index) =>
      kind === "new field" ? [{ name: this.#heading(index), type: "STRING" } as const] : [],
    );
    const ofAttributes = this.#attributes.flatMap(({ types }) => [...types.names.values()]);
    // Of the same name, a column counts.
    const all = [...ofAttributes, ...ofColumns].map((field) => [nameKey(field.name), field] as const);
    return new Map(all.filter(([key]) => !this.#fields.has(key)));
  }

  notes(): readonly string[] {
    const names = [...this.#wanted().values()].map(
      ({ name, type }) => `'${name}' (${typeNames[type] ?? "text"})`,
    );
    return [
      ...(names.length === 0 ? [] : [`new ${names.length === 1 ? "field" : "fields"}: ${names.join(", ")}`]),
      ...this.#attributes.flatMap(({ index, types }) =>
        types.notes(`of the column '${this.#heading(index)}'`),
      ),
    ];
  }

  /** Returns the columns with their fields. */
  async create(make: (field: NewField) => Promise<Field>): Promise<readonly Column[]> {
    const wanted = this.#wanted();
    if (this.#limit !== null && wanted.size > 0 && this.#fields.size + wanted.size > this.#limit)
      throw new TableProblem({ kind: "too many fields", wanted: wanted.size, limit: this.#limit });
    const fields = new Map(this.#fields);
    for (const [key, field] of wanted) fields.set(key, await make(field));
    const columns = this.#columns.map((column, index): Column => {
      const field = column.kind === "new field" ? fields.get(nameKey(this.#heading(index))) : undefined;
      return field === undefined ? column : { kind: "field", field };
    });
    const taken = new Set(columns.flatMap((column) => (column.kind === "field" ? [column.field.id] : [])));
    for (const { index, types } of this.#attributes) {
      const own = [...types.names.keys()].flatMap((key) => {
        const field = fields.get(key);
        return field === undefined || taken.has(field.id) ? [] : [[key, field] as const];
      });
      for (const [, { id }] of own) taken.add(id);
      columns[index] = { kind: "attributes", fields: new Map(own) };
    }
    return columns;
  }
}
