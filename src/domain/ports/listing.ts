/** Listings of any length, by keyset pagination: a page starts where another one ended. */

/** Where a page ends. Opaque: only the listing that returned it can read it. */
export type Cursor = string;

/** The rows after a cursor, or before one. null: from the start, or from the end. */
export type PageRange =
  | { readonly after: Cursor | null; readonly limit: number }
  | { readonly before: Cursor | null; readonly limit: number };

export interface Page<Row> {
  /** In the order of the listing, in whichever direction the page was read. */
  readonly rows: readonly Row[];
  /** The cursor before which there are more rows; null at the start. */
  readonly previous: Cursor | null;
  /** The cursor after which there are more rows; null at the end. */
  readonly next: Cursor | null;
  /** Of a search: how many rows it has looked at. */
  readonly visited?: number;
}

/** Pages are not one snapshot: concurrent changes may or may not be included. */
export interface Listing<Args, Row> {
  /** All rows, from the first to the last. */
  pages(args: Args): AsyncIterable<readonly Row[]>;
  /** Throws InvalidCursor. */
  page(args: Args, range: PageRange): Promise<Page<Row>>;
}
