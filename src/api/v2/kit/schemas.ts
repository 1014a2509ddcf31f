/** Schemas that many routes share. */
import { type Static, type TSchema, Type } from "typebox";
import { NotFound, type Thing } from "#admin/kit/errors.ts";
import { bothCursors, MAX_PAGE, type PageInputs } from "#admin/kit/paging.ts";
import { parseDate } from "#domain/calendar.ts";
import type { Page } from "#domain/ports/listing.ts";
import { idsOf } from "./route.ts";

/** Schemas whose types have names in the OpenAPI document, such as `List`, and so in generated clients. */
export const Named = <Members extends Record<string, TSchema>>(title: string, members: Members) =>
  Type.Object(members, { title });

/** Of an object that a client sends: a member that is not declared is refused. */
export const NamedInput = <Members extends Record<string, TSchema>>(title: string, members: Members) =>
  Type.Object(members, { title, additionalProperties: false });

/**
 * The words of the domain (`refused call`, `UnknownList`) as JSON has them: in camelCase, like
 * the names of its members.
 */
export type Camel<Word extends string> = Word extends `${infer First}-${infer Rest}`
  ? `${Uncapitalize<First>}${Capitalize<Camel<Rest>>}`
  : Word extends `${infer First} ${infer Rest}`
    ? `${Uncapitalize<First>}${Capitalize<Camel<Rest>>}`
    : Uncapitalize<Word>;

export const camel = <const Word extends string>(word: Word): Camel<Word> =>
  word
    .replaceAll(/[- ](\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^\w/, (letter) => letter.toLowerCase()) as Camel<Word>;

/** One of some words of the domain. */
export const OneOfCamel = <const Words extends readonly string[]>(words: Words, description?: string) =>
  OneOf(
    words.map((word: Words[number]) => camel(word)),
    description,
  );

/** The word of the domain in a request that has been validated. */
export function readCamel<const Words extends readonly string[]>(
  words: Words,
  given: Camel<Words[number]>,
): Words[number] {
  const word = words.find((one) => camel(one) === given);
  if (word === undefined) throw new Error(`${given} is none of ${words.join(", ")}`);
  return word;
}

/** Times in requests and replies: ISO 8601 with an offset in requests, always UTC in replies. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
/** An offset may lead to a year that has not four digits. */
const [FIRST_MS, LAST_MS] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** Whether a text of a request is a time; of a day that exists. */
export function isTime(text: string): boolean {
  if (!TIME.test(text) || parseDate(text) === null) return false;
  const at = readTime(text);
  return at >= FIRST_MS && at <= LAST_MS;
}

/** Milliseconds since 1970, of a text that has been validated. */
export const readTime = (text: string): number => Date.parse(text);

export const readTimeOrNull = (text: string | null): number | null => (text === null ? null : readTime(text));

export const time = (at: number): string => new Date(at).toISOString();
export const timeOrNull = (at: number | null): string | null => (at === null ? null : time(at));

/** A 64-bit number as text: JSON numbers would round it. */
export const Id = (description?: string) =>
  Type.String({ pattern: "^-?[0-9]{1,19}$", ...(description === undefined ? {} : { description }) });

/** In UTC. */
export const Time = (description?: string) =>
  Type.String({ format: "date-time", ...(description === undefined ? {} : { description }) });

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** One of some words. */
export const OneOf = <const Words extends readonly string[]>(words: Words, description?: string) =>
  Type.Unsafe<Words[number]>({
    type: "string",
    enum: [...words],
    ...(description === undefined ? {} : { description }),
  });

/**
 * A name that the service itself has given, such as that of an action. PostgreSQL cannot even compare a text
 * with a NUL character.
 */
export const ServiceName = (options: { readonly description?: string; readonly examples?: string[] }) =>
  Type.String({ pattern: "^[ -~]*$", ...options });

/** An object that a client sends: a member that is not declared is refused. */
export const Input = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object(members, { additionalProperties: false });

/**
 * The id in a request that has been validated. Nothing has an id that is too long: throws NotFound, or
 * returns 0, which nothing has either, if it is only searched for.
 */
export function readId(text: string, thing?: Thing, input?: string): number {
  const id = Number(text);
  if (Number.isSafeInteger(id)) return id;
  if (thing !== undefined) throw new NotFound(thing, text, [], input);
  return 0;
}

export const idOrNull = (id: number | bigint | null): string | null => (id === null ? null : String(id));
const writtenValue = (name: string, value: unknown): unknown => {
  if (typeof value !== "number" && typeof value !== "bigint") return value;
  if (/^at$|At$/.test(name)) return time(Number(value));
  return /^id$|Id$/.test(name) ? String(value) : value;
};
/** The values of a row as JSON has them: times (`at` and `…At`) and ids (`id` and `…Id`) are text. */
export const written = <Row extends object>(row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [name, writtenValue(name, value)]),
  ) as {
    readonly [Name in keyof Row]: Name extends "id" | "at" | `${string}${"Id" | "At"}`
      ? string | Extract<Row[Name], null>
      : Row[Name];
  };
/** The same for all that the row contains. */
type WrittenMember<Name, Value> = Value extends readonly (infer One)[]
  ? WrittenMember<"", One>[]
  : Value extends number | bigint
    ? Name extends "id" | "at" | `${string}${"Id" | "At"}`
      ? string
      : Value
    : Value extends object
      ? AllWritten<Value>
      : Value;
type AllWritten<Row> = { readonly [Name in keyof Row]: WrittenMember<Name, Row[Name]> };
const memberWritten = (name: string, value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((one: unknown) => memberWritten("", one))
    : typeof value === "object" && value !== null
      ? allWritten(value)
      : writtenValue(name, value);
export const allWritten = <Row extends object>(row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [name, memberWritten(name, value)]),
  ) as AllWritten<Row>;
/** A text that is missing is null in JSON, and mostly "" where it is stored. */
export const textOrNull = (text: string): string | null => (text === "" ? null : text);

const DEFAULT_LIMIT = 100;

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      default: DEFAULT_LIMIT,
      description: "How many items at most.",
    }),
  ),
  after: Type.Optional(
    Type.String({ description: "The value of `next` in another page: returns the page after that one." }),
  ),
  before: Type.Optional(
    Type.String({
      description: "The value of `previous` in another page: returns the page before that one.",
    }),
  ),
};

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}
export const pageOf = ({ limit = DEFAULT_LIMIT, after, before }: PageQuery): PageInputs => ({
  limit,
  after,
  before,
});

const next = Type.String({
  description: "Send it as `after` to get the next page. null: this is the last page.",
});
const previous = Type.String({
  description: "Send it as `before` to get the previous page. null: this is the first page.",
});
/** A page of items; its type has a name if theirs has. `more` is about the page. */
export const Collection = <Item extends TSchema, More extends Record<string, TSchema> = Record<never, never>>(
  item: Item,
  more: More = {} as More,
) => {
  const { title } = item as { readonly title?: string };
  return Type.Object(
    { items: Type.Array(item), next: Nullable(next), previous: Nullable(previous), ...more },
    title === undefined ? {} : { title: `${title}Page` },
  );
};

/** Of things that are few enough to be read at once. Their cursors are positions. */
export function pageOfAll<Row, Item>(all: readonly Row[], query: PageQuery, itemOf: (row: Row) => Item) {
  const { limit = DEFAULT_LIMIT, after, before } = query;
  if (after !== undefined && before !== undefined) throw bothCursors();
  const position = (cursor: string): number => Math.min(Number(cursor), all.length);
  const end = before === undefined ? null : position(before);
  const start = end === null ? position(after ?? "0") : Math.max(0, end - limit);
  const rows = all.slice(start, end ?? start + limit);
  const next = start + rows.length;
  return collection(
    { rows, next: next < all.length ? String(next) : null, previous: start > 0 ? String(start) : null },
    itemOf,
  );
}

export const collection = <Row, Item>(page: Page<Row>, itemOf: (row: Row) => Item) => ({
  items: page.rows.map(itemOf),
  next: page.next,
  previous: page.previous,
});

interface Asked {
  readonly query: PageQuery;
  readonly now: number;
}
/** Of a route whose action returns a page. */
export const pageOfRows = <Item extends TSchema, Row>(
  item: Item,
  itemOf: (row: Row, now: number) => Static<Item>,
) => ({
  query: Type.Object(pageQuery),
  args: <Params extends object>({
    params,
    query,
  }: {
    readonly params: Params;
    readonly query: PageQuery;
  }) => ({ ...idsOf(params), ...pageOf(query) }),
  reply: Collection(item),
  answer: (page: Page<Row>, { now }: Asked) => collection(page, (row) => itemOf(row, now)),
});
/** Of a route whose action returns all rows, which are few. */
export const pageOfFew = <Item extends TSchema, Row>(item: Item, itemOf: (row: Row) => Static<Item>) => ({
  query: Type.Object(pageQuery),
  reply: Collection(item),
  answer: (all: readonly Row[], { query }: Asked) => pageOfAll(all, query, itemOf),
});

/** Of a route that replies without a body. */
export const noReply = { status: 204, answer: () => undefined } as const;
