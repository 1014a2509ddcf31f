/** Values made from a JSON Schema: valid ones at random, and ones that are wrong in one place. */
import type { JsonSchema } from "#api/v2/reference/example.ts";

/** A small generator, so that a failing case can be repeated by its seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const texts = [
  "",
  "News",
  "ada@example.org",
  "@example.org",
  "Zoë 😀 “O'Brien” \"\\",
  "'; DROP TABLE subscriber; --",
  "<script>alert(1)</script>",
  "two\nlines",
  "x".repeat(2000),
  "\u202eright to left",
  "=1+1",
  "9223372036854775808",
];
const ids = ["1", "2", "999999", "9223372036854775807", "0", "-1"];
const times = ["2026-11-16T09:30:00.000Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];

export function validValue(schema: JsonSchema, random: () => number): unknown {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return pick(schema.enum);
  if (schema.anyOf !== undefined) return validValue(pick(schema.anyOf), random);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) === true || random() < 0.5)
          .map(([name, member]) => [name, validValue(member, random)]),
      );
    case "array":
      return Array.from({ length: Math.floor(random() * 3) + 1 }, () =>
        validValue(schema.items ?? {}, random),
      );
    case "integer":
    case "number":
      return pick([schema.minimum ?? 0, Math.min(schema.maximum ?? 5, 5), schema.maximum ?? 2 ** 31]);
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    default:
      if (schema.format === "date-time") return pick(times);
      if (schema.format === "date") return "2026-11-16";
      return pick(schema.pattern === undefined ? texts : ids);
  }
}

interface Wrong {
  readonly what: string;
  /** The place of the error, as a JSON Pointer. */
  readonly pointer: string;
  readonly value: unknown;
}

const takesNull = (schema: JsonSchema): boolean =>
  schema.type === "null" || (schema.anyOf ?? []).some(takesNull);

/** Each is the valid object with one error; `at` is the place of the object. */
export function wrongValues(
  schema: JsonSchema,
  valid: Readonly<Record<string, unknown>>,
  at = "#",
): readonly Wrong[] {
  const { properties = {}, required = [] } = schema;
  return [
    { what: "an unknown member", pointer: `${at}/unknownMember`, value: { ...valid, unknownMember: 1 } },
    { what: "no object", pointer: at, value: [valid] },
    ...required.map((name) => ({
      what: `no ${name}`,
      pointer: `${at}/${name}`,
      value: Object.fromEntries(Object.entries(valid).filter(([other]) => other !== name)),
    })),
    ...Object.entries(properties).flatMap(([name, member]) => [
      ...wrongMembers(member).map(([what, value]) => ({
        what: `${name}: ${what}`,
        pointer: `${at}/${name}`,
        value: { ...valid, [name]: value },
      })),
      ...wrongItems(member, valid[name], `${at}/${name}`).map(({ value, ...wrong }) => ({
        ...wrong,
        value: { ...valid, [name]: value },
      })),
    ]),
  ];
}

/** Wrong objects within an array. */
function wrongItems({ items }: JsonSchema, valid: unknown, at: string): readonly Wrong[] {
  if (items?.type !== "object" || !Array.isArray(valid)) return [];
  const good: readonly unknown[] = valid;
  const given = good[0] as Readonly<Record<string, unknown>>;
  return wrongValues(items, given, `${at}/${good.length}`).map((wrong) => ({
    ...wrong,
    value: [...good, wrong.value],
  }));
}

function wrongMembers(schema: JsonSchema): readonly (readonly [what: string, value: unknown])[] {
  const [only = schema] = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  const isText = only.pattern !== undefined || only.format !== undefined || only.enum !== undefined;
  return [
    ...(schema.type === undefined && schema.anyOf === undefined
      ? []
      : ([["another type", otherType(schema)]] as const)),
    ...(takesNull(schema) ? [] : ([["null", null]] as const)),
    ...(isText ? ([["another text", "no such\nword"]] as const) : []),
    ...(only.minimum === undefined ? [] : ([["too small", only.minimum - 1]] as const)),
    ...(only.maximum === undefined ? [] : ([["too large", only.maximum + 1]] as const)),
    ...(only.minItems === undefined ? [] : ([["too few", []]] as const)),
  ];
}

/** A value of a type that the schema does not take. */
function otherType(schema: JsonSchema): unknown {
  const types = new Set([schema.type, ...(schema.anyOf ?? []).map(({ type }) => type)]);
  if (!types.has("integer") && !types.has("number")) return 5;
  return types.has("string") ? true : "5";
}
