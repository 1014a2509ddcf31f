/**
 * Schemas with a title become components of the OpenAPI document, so that generators make types with names.
 * Only in the document: validation and serialisation use the schemas as the routes declare them.
 */
import { isDeepStrictEqual } from "node:util";

type Schema = Readonly<Record<string, unknown>>;
export type Components = Record<string, Schema>;

const isNamed = (value: Schema): value is Schema & { readonly title: string } =>
  typeof value.title === "string" && value.type === "object";

/**
 * The value, with references in place of schemas with a title. Adds those to `components`. Throws if two
 * different ones have the same title.
 */
export function hoistSchemas(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((one) => hoistSchemas(one, components));
  if (typeof value !== "object" || value === null) return value;
  const hoisted = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hoistSchemas(one, components)]),
  );
  return isNamed(hoisted) ? referenceTo(hoisted, components) : hoisted;
}

/** The same schema may have another description in another place. */
function referenceTo(schema: Schema & { readonly title: string }, components: Components): Schema {
  const { title, description, ...declared } = schema;
  components[title] ??= schema;
  const { title: _, description: usual, ...known } = components[title];
  if (!isDeepStrictEqual(declared, known))
    throw new Error(`two schemas have the title ${title}, and are not the same`);
  return {
    $ref: `#/components/schemas/${title}`,
    ...(description === undefined || description === usual ? {} : { description }),
  };
}
