/** The names in the JSON API follow docs/decisions/0042-names-in-json.md, as far as a program can tell. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { operationId } from "#api/v2/kit/openapi.ts";
import { isStream, type Route } from "#api/v2/kit/route.ts";
import { Id } from "#api/v2/kit/schemas.ts";
import { routes } from "#api/v2/routes.ts";
import { dataTypes } from "#domain/field/field.ts";
import { genders, suppressionKinds } from "#domain/subscriber/subscriber.ts";

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
interface Member {
  readonly path: string;
  readonly name: string;
  /** Without null. */
  readonly schemas: readonly Schema[];
}

const withoutNull = (schema: Schema): readonly Schema[] =>
  schema.anyOf === undefined
    ? [schema].filter(({ type }) => type !== "null")
    : schema.anyOf.flatMap(withoutNull);

/** All members of an object, and of the objects in it. */
function* membersOf(schema: Schema, path: string): Generator<Member> {
  for (const one of withoutNull(schema)) {
    if (one.items !== undefined) yield* membersOf(one.items, path);
    for (const [name, member] of Object.entries(one.properties ?? {})) {
      yield { path: `${path}.${name}`, name, schemas: withoutNull(member) };
      yield* membersOf(member, `${path}.${name}`);
    }
  }
}

const inputsOf = (route: Route): readonly Member[] => [
  ...membersOf((route.query ?? {}) as Schema, "query"),
  ...membersOf((route.body ?? {}) as Schema, "body"),
];
const outputsOf = (route: Route): readonly Member[] =>
  isStream(route) ? [] : [...membersOf((route.reply ?? {}) as Schema, "reply")];

const { pattern: ID }: Schema = Id();
const isId = ({ pattern }: Schema): boolean => pattern !== undefined && pattern === ID;
/** A member with one of these names is an object. */
const things = [
  "account",
  "campaign",
  "field",
  "import",
  "job",
  "key",
  "list",
  "subscriber",
  "upload",
  "user",
];
const specified = new Set<string>([...dataTypes, ...genders]);
const ranges = ["at", "from", "to"];

/** The rules that a member breaks. */
function* brokenBy({ name, path, schemas }: Member): Generator<string> {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) yield "is not camelCase";
  if (schemas.some(isId) && name !== "id" && !name.endsWith("Id")) yield "is an id, but not named …Id";
  if (schemas.some(({ items }) => items !== undefined && isId(items)) && !name.endsWith("Ids"))
    yield "has ids, but is not named …Ids";
  const isTime = schemas.some(({ format }) => format === "date-time");
  // The suppressions of a subscriber, each with its time.
  const isSuppression = suppressionKinds.some((kind) => kind === name) && /uppressions\.\w+$/.test(path);
  if (isTime && !name.endsWith("At") && !ranges.includes(name) && !isSuppression)
    yield "is a time, but not named …At";
  if (things.includes(name) && schemas.some(({ properties }) => properties?.id === undefined))
    yield "has the name of a thing, but is no object with an id";
  const words = schemas.flatMap((schema) => [...(schema.enum ?? []), ...(schema.items?.enum ?? [])]);
  for (const word of words)
    if (!specified.has(word) && !/^[a-z][A-Za-z0-9]*$/.test(word)) yield `takes ${word}, not camelCase`;
  for (const word of [name, ...words])
    if (/^(?:hardBounce|bounces|complaint|unsubscribes)/.test(word))
      yield `has ${word}: an event has the word of the suppression`;
}

describe("the names in requests and replies", () => {
  for (const route of routes)
    test(`${operationId(route)} follows the rules for names`, () => {
      const [inputs, outputs] = [inputsOf(route), outputsOf(route)];
      const broken = [...inputs, ...outputs].flatMap((member) =>
        [...brokenBy(member)].map((rule) => `${member.path} ${rule}`),
      );
      for (const { name, path, schemas } of outputs)
        if (schemas.some(({ type }) => type === "boolean") && !/^(?:is|has|was)[A-Z]/.test(name))
          broken.push(`${path} is a boolean, but not named is…, has… or was…`);
      const names = new Set(outputs.map(({ path }) => path));
      if (names.has("reply.items"))
        for (const cursor of ["next", "previous"])
          if (!names.has(`reply.${cursor}`)) broken.push(`the page has no ${cursor}`);
      const isLimited = inputs.some(({ path }) => path === "query.limit");
      if (isLimited && !names.has("reply.items") && !/\/top-[a-z-]+$/.test(route.path))
        broken.push(`${route.path} takes a limit, but has no pages and is not named top-…`);
      assert.deepEqual(broken, []);
    });
});
