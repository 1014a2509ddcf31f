/** Pages by key: each starts after the last row of the one before, so a slow reader holds nothing open. */

export interface Page<Row, Cursor> {
  readonly rows: readonly Row[];
  /** null: there is nothing after these rows. */
  readonly next: Cursor | null;
}

/** A few hundred rows are one short answer; more are sent in pages of this size. */
export const PAGE_SIZE = 500;
