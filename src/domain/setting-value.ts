/** Settings of the installation as administrators see them. They contain no secret. */

/** Where a value comes from, in the order in which they are looked at. */
export const settingSources = ["flag", "environment", "file", "default"] as const;
export type SettingSource = (typeof settingSources)[number];

export interface SettingValue {
  /** As in the file of settings. */
  readonly name: string;
  readonly flag: string;
  readonly variable: string;
  readonly group: string;
  readonly doc: string;
  readonly source: SettingSource;
  /** Whether it has a value, by default or because an operator set it. */
  readonly isSet: boolean;
  /** The value is never shown. */
  readonly isSecret: boolean;
  /** As it was written; null: it is secret or not set. */
  readonly value: string | null;
}
