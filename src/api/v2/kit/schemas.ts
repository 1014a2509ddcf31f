/** Schemas that many routes share. */
import { type TSchema, Type } from "typebox";
import { NotFound, type Thing } from "#admin/kit/errors.ts";
import { bothCursors, MAX_PAGE, type PageInputs } from "#admin/kit/paging.ts";
import type { Page } from "#domain/ports/listing.ts";

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

export { readTime, readTimeOrNull, time, timeOrNull } from "./time.ts";

/**
 * The id in a request that has been validated. Nothing has one that is too long: throws NotFound, or returns
 * 0, which nothing has either, if it is only searched for.
 */
export function readId(text: string, thing?: Thing, input?: string): number {
  const id = Number(text);
  if (Number.isSafeInteger(id)) return id;
  if (thing !== undefined) throw new NotFound(thing, text, [], input);
  return 0;
}

export const idOrNull = (id: number | bigint | null): string | null => (id === null ? null : String(id));
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
