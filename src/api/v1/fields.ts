/**
 * The field definitions as JSON, and the JSON Schema of that collection. The schema is derived from the
 * record in the contract; ids are 64 bits wide and are written with all their digits.
 */
import { Field } from "#contract/records.ts";
import type { Item, Written, XsdType } from "#contract/xsd.ts";
import type { Field as FieldDefinition } from "#domain/field/field.ts";

export const COLLECTION_PATH = "/api/v1/fields";
export const SCHEMA_PATH = "/schemas/field-collection.json";

type Json = { readonly [key: string]: unknown };

function schemaOf(type: XsdType): Json {
  if (type.kind === "enum") return { type: "string", enum: type.values };
  if (type.kind === "scalar") return { type: jsonType(type.xsd) };
  throw new Error(`${type.name} is not a field of a record`);
}
const jsonType = (xsd: string): string =>
  xsd === "int" || xsd === "long" ? "integer" : xsd === "boolean" ? "boolean" : "string";

const recordSchema = ({ fields }: Item): Json => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, schemaOf(type)])),
  required: Object.keys(fields),
});

const linkCollection: Json = {
  type: "array",
  items: {
    type: "object",
    properties: {
      rel: { type: "string" },
      href: { type: "string", format: "uri" },
      description: { type: "string" },
    },
    required: ["rel", "href"],
  },
};

export const fieldCollectionSchema = (base: string): Json => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: `${base}${SCHEMA_PATH}`,
  title: "Field-definition collection",
  type: "object",
  properties: {
    // A JSON array has no properties of its own, so the links are in the definition of `items`, as the
    // interface defines it, and beside `items`, where an instance can hold them.
    items: { type: "array", items: recordSchema(Field), _links: linkCollection },
    _links: linkCollection,
  },
  required: ["items"],
});

const toRecord = ({ id, name, isPrivate, type }: FieldDefinition): Written<typeof Field> => ({
  FieldId: id,
  Name: name,
  IsPrivate: isPrivate,
  DataType: type,
});

/** JSON.stringify does not support bigint, and a number would round it. */
const toJson = (record: object): string =>
  `{${Object.entries(record)
    .map(([name, value]) => `"${name}":${typeof value === "bigint" ? value : JSON.stringify(value)}`)
    .join(",")}}`;

/** In chunks, one per page. */
export async function* fieldCollection(
  base: string,
  pages: AsyncIterable<readonly FieldDefinition[]>,
): AsyncGenerator<string> {
  let separator = "";
  yield '{"items":[';
  for await (const page of pages) {
    yield separator + page.map((field) => toJson(toRecord(field))).join(",");
    separator = ",";
  }
  const links = [
    { rel: "self", href: `${base}${COLLECTION_PATH}`, description: "This collection" },
    { rel: "describedby", href: `${base}${SCHEMA_PATH}`, description: "The JSON Schema of this collection" },
  ];
  yield `],"_links":${JSON.stringify(links)}}`;
}
