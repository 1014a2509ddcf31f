/**
 * Pre-encoded rows: the store writes rows as text, because creating an object for each would take longer than
 * everything else. It gets a template: literals around the values, which the store does not interpret.
 */

export interface RowForm<Row> {
  readonly start: string;
  readonly end: string;
  readonly fields: readonly FieldForm<keyof Row>[];
  /** Replacements for characters of a text, applied in order. */
  readonly escapes: readonly (readonly [character: string, written: string])[];
}
/** Texts are written unchanged, times in UTC as ISO 8601, with only the necessary fraction digits. */
export interface FieldForm<Name> {
  readonly name: Name;
  readonly start: string;
  readonly end: string;
  /** All that is written for an empty text. */
  readonly empty: string;
}

export interface EncodedPage {
  /** Valid until the next page is requested. */
  readonly bytes: Uint8Array;
  /** Whether no row followed when it was read. */
  readonly isLast: boolean;
}
