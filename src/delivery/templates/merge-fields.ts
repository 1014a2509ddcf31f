/**
 * The values that the templates of a campaign see for one person. Control characters and the characters that
 * change the direction of writing are removed. An empty value is false in an `if`, equal to "" and to nil,
 * and takes the default.
 */
import { type Comparable, Drop } from "liquidjs";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { Sender } from "#domain/sending/sender.ts";

/** What templates may use besides the data of a person. */
export interface MergeSurroundings {
  /** The names of the account's custom fields. */
  readonly fields: readonly string[];
  readonly campaignName: string;
  /** null: not chosen yet. Then nothing checks for its postal address. */
  readonly sender: Pick<Sender, "fromName" | "postalAddress"> | null;
}

class EmptyValue extends Drop implements Comparable {
  override valueOf(): null {
    return null;
  }
  override liquidMethodMissing(key: string | number): number | undefined {
    return key === "size" ? 0 : undefined;
  }
  equals(other: unknown): boolean {
    return other === "" || other === null || other === undefined || other instanceof Drop;
  }
  gt(): boolean {
    return false;
  }
  geq(): boolean {
    return false;
  }
  lt(): boolean {
    return false;
  }
  leq(): boolean {
    return false;
  }
}
const empty = new EmptyValue();

const CONTROL = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const NEEDS_CLEANING = /[^\x20-\x7e\xa0-\u1fff\u3000-\ud7ff]/;

const cleanLines = (text: string): string =>
  NEEDS_CLEANING.test(text)
    ? text
        .toWellFormed()
        .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
        .replaceAll(CONTROL, "")
    : text;
export const cleanLine = (text: string): string =>
  NEEDS_CLEANING.test(text) ? cleanLines(text).replaceAll(/[\n\t]+/g, " ") : text;

type Value = string | EmptyValue;
const given = (text: string | null | undefined): Value =>
  text === null || text === undefined || text === "" ? empty : text;
const lineOf = (text: string | null): Value => given(text === null ? null : cleanLine(text));

/** Names of values, apart from the custom fields. */
export const personNames = ["email", "first_name", "last_name", "gender", "birthday", "country"] as const;
export const campaignNames = [
  "unsubscribe_url",
  "postal_address",
  "sender_name",
  "campaign_name",
  "subject",
  "preheader",
] as const;
const mergeNames: ReadonlySet<string> = new Set([...personNames, ...campaignNames]);
/** Whether a name, with a property or without, is a merge field: not a loop variable, not `true`, not 5. */
export const isMergeField = (name: string, property: string | null): boolean =>
  property === null ? mergeNames.has(name) : name === "fields";
export type ValueName = (typeof personNames)[number] | (typeof campaignNames)[number];
/** Without a prototype. */
export type Scope = Record<ValueName, Value> & { fields: Record<string, Value> };

/** Subject and preheader are empty until they are rendered. */
export function scopeOf(
  person: MergeData,
  unsubscribeUrl: string,
  { campaignName, sender }: MergeSurroundings,
  usedFields: readonly string[],
): Scope {
  const fields: Record<string, Value> = Object.create(null);
  for (const name of usedFields) {
    const value = Object.hasOwn(person.fields, name) ? person.fields[name] : null;
    fields[name] = given(value === null || value === undefined ? null : cleanLines(value));
  }
  return Object.assign(Object.create(null) as Scope, {
    email: lineOf(person.address),
    first_name: lineOf(person.firstName),
    last_name: lineOf(person.lastName),
    gender: lineOf(person.gender),
    birthday: lineOf(person.birthday),
    country: lineOf(person.country),
    fields,
    unsubscribe_url: given(unsubscribeUrl),
    postal_address: given(cleanLines(sender?.postalAddress ?? "")),
    sender_name: lineOf(sender?.fromName ?? null),
    campaign_name: lineOf(campaignName),
    subject: empty,
    preheader: empty,
  });
}
