/**
 * Pre-encoded rows: the store writes them as text itself, because creating an object for each would take longer than
 * everything else. It is given the form: literals around the values, which mean nothing to the store.
 */

export interface RowForm<Row> {
  readonly start: string;
  readonly end: string;
  readonly fields: readonly FieldForm<keyof Row>[];
  /** What is written for a character of a text, where that is not the character itself; the first pair first. */
  readonly escapes: readonly (readonly [character: string, written: string])[];
}
/** Texts are written as they are, moments in UTC as ISO 8601 has them, with as many digits of a fraction as it takes. */
export interface FieldForm<Name> {
  readonly name: Name;
  readonly start: string;
  readonly end: string;
  /** All that is written for an empty text. */
  readonly empty: string;
}

export interface EncodedPage {
  /** Until the next page is asked for. */
  readonly bytes: Uint8Array;
  /** Whether no row followed when it was read. */
  readonly isLast: boolean;
}
