/**
 * How new values replace stored ones. Calls, operators and subscribers replace any value. An import fills
 * empty values and replaces only values that an import set last: any other value is newer than the file. With
 * `overwrite`, an import replaces these, too.
 */
import type { ImportId } from "../access/origin.ts";
import type { SubscriberChange } from "../subscriber/change.ts";
import { type Cause, historyEntry, type ReplacedValue } from "../subscriber/history.ts";
import type { BasicData } from "../subscriber/subscriber.ts";
import type { FieldId } from "./field.ts";

export interface GivenValues {
  readonly data: Partial<BasicData>;
  readonly values: readonly { readonly field: FieldId; readonly value: string }[];
}

export interface StoredBasics extends BasicData {
  /** A bit of `importedBits` for each value that an import set last. */
  readonly imported: number;
}
export interface StoredValue {
  readonly value: string;
  /** The import that set it last; null: no import did. */
  readonly batch: ImportId | null;
}
/** The stored values of a subscriber. A store may load them lazily. */
export interface StoredValues {
  readonly basics: StoredBasics;
  readonly values: { get(field: FieldId): StoredValue | undefined };
}

/** Stored as bits, whose meaning never changes. */
export const importedBits: Readonly<Record<keyof BasicData, number>> = {
  firstName: 1,
  lastName: 2,
  gender: 4,
  birthday: 8,
  country: 16,
};
export const noBasics: StoredBasics = {
  firstName: "",
  lastName: "",
  gender: null,
  birthday: null,
  country: null,
  imported: 0,
};
export const basicNames = Object.keys(importedBits) as (keyof BasicData)[];
export const importedNames = (imported: number): readonly (keyof BasicData)[] =>
  basicNames.filter((name) => (imported & importedBits[name]) !== 0);

export interface ValueChanges {
  readonly changes: readonly SubscriberChange[];
  /** Values that were filled or replaced. */
  readonly updated: number;
  /** Values that differ and were kept, because they are newer. */
  readonly keptNewer: number;
}

/** `stored` is null for a new subscriber. */
export function giveValues(
  given: GivenValues,
  stored: StoredValues | null,
  { at, origin }: Cause,
  overwrite = false,
): ValueChanges {
  const isImport = origin.kind === "import";
  const changes: SubscriberChange[] = [];
  const replaced: ReplacedValue[] = [];
  let updated = 0;
  let keptNewer = 0;
  /**
   * Whether to write the value; a value of a call is the newest even if it is the same. `importedBy`: as in
   * `ReplacedValue`.
   */
  const decide = (
    field: ReplacedValue["field"],
    old: string,
    importedBy: ImportId | null | undefined,
    value: string,
  ): boolean => {
    if (old === value) return !isImport;
    if (old !== "" && isImport && importedBy === undefined && !overwrite) {
      keptNewer += 1;
      return false;
    }
    updated += 1;
    // An import can be undone, so it records the first values of a subscriber who existed, too.
    if (isImport && stored !== null && importedBy !== undefined)
      replaced.push({ field, old, new: value, importedBy });
    else if (old !== "" || (isImport && stored !== null)) replaced.push({ field, old, new: value });
    return true;
  };
  const names = basicNames.filter((name) => given.data[name] !== undefined);
  if (names.length > 0) {
    const basics = stored?.basics ?? noBasics;
    const before = updated;
    let { imported } = basics;
    let data: Partial<BasicData> = {};
    for (const name of names) {
      const bit = importedBits[name];
      const value = given.data[name];
      if (!decide(name, basics[name] ?? "", (imported & bit) === 0 ? undefined : null, value ?? "")) continue;
      data = { ...data, [name]: value };
      imported = isImport ? imported | bit : imported & ~bit;
    }
    if (updated > before || imported !== basics.imported) changes.push({ kind: "describe", data, imported });
  }
  for (const { field, value } of given.values) {
    const old = stored?.values.get(field);
    if (decide(field, old?.value ?? "", old?.batch ?? undefined, value))
      changes.push({ kind: "set-value", field, value, at, origin });
  }
  if (replaced.length > 0)
    changes.push({ kind: "add-history", entry: historyEntry("changed", { at, origin }, { replaced }) });
  return { changes, updated, keptNewer };
}
