/** Values of a subscriber as they are shown, and the inputs that fit their types. */
import { showSubscriber } from "#admin/subscribers/record.ts";
import type { CampaignEvent } from "#domain/campaign.ts";
import { countries } from "#domain/country.ts";
import type { DataType } from "#domain/field/field.ts";
import type { SuppressionKind } from "#domain/subscriber/subscriber.ts";
import { type Gender, genders } from "#domain/subscriber/subscriber.ts";
import { type Option, selectField, type TextField, textField } from "#html/components/fields.ts";
import type { Html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import type { PageContext } from "../../kit/page.ts";

/** The pages of one subscriber. */
export const PERSON = "/{account}/subscribers/{subscriber}";
export const EDIT = `${PERSON}/edit` as const;
export const HISTORY = `${PERSON}/history` as const;
export const RESULTS = `${PERSON}/campaigns` as const;
export const UNSUBSCRIBE = `${PERSON}/unsubscribe` as const;
export const REACTIVATE = `${PERSON}/reactivate` as const;
export const ERASE = `${PERSON}/erase` as const;
export const DOWNLOAD = `${PERSON}/download` as const;

// The address of a subscriber, for the way back from a page about one.

/** Throws NotFound. */
export async function emailOf(
  { performHere }: Pick<PageContext, "performHere">,
  id: number,
): Promise<string> {
  return (await performHere(showSubscriber, { id })).record.address;
}

const began: Readonly<Record<SuppressionKind, string>> = {
  blocked: "The address is on the block list",
  complained: "The person complained about mail",
  unsubscribed: "The person unsubscribed",
  bounced: "The address bounced",
};
export const basics = {
  firstName: "First name",
  lastName: "Last name",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
};
export const events: Readonly<Record<CampaignEvent, string>> = {
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
};
export const personTexts = {
  causeUnknown: (kind: SuppressionKind): string => began[kind],
  memberships: { active: "Active", pending: "Not confirmed", suspended: "Suspended" },
  campaigns: "Campaigns",
  results: "Campaign results",
};

const genderLabels: Readonly<Record<Gender, string>> = { M: "Male", F: "Female", X: "Other" };

// English, as the sentences around them.
const regions = new Intl.DisplayNames("en", { type: "region" });
export const countryName = (code: string): string => regions.of(code) ?? code;
const genderNames: Readonly<Record<string, string | undefined>> = genderLabels;
const genderName = (gender: string): string => genderNames[gender] ?? gender;
const yesNo = (value: string): string => (value === "true" ? "Yes" : "No");

type ValueType = Exclude<DataType, "CONSENT" | "PERMISSION" | "GDPR" | "SCORE" | "ORIGIN">;
const kinds: Readonly<Record<DataType, ValueType>> = {
  BOOLEAN: "BOOLEAN",
  CONSENT: "BOOLEAN",
  PERMISSION: "BOOLEAN",
  GDPR: "BOOLEAN",
  REAL: "REAL",
  SCORE: "REAL",
  STRING: "STRING",
  ORIGIN: "STRING",
  DATE: "DATE",
  EMAIL: "EMAIL",
  GENDER: "GENDER",
  COUNTRY: "COUNTRY",
  PHONE: "PHONE",
};

/** Of a value as it is stored; empty for none. */
export function shownValue(type: DataType, value: string, formats: Formats): string {
  if (value === "") return "";
  switch (kinds[type]) {
    case "BOOLEAN":
      return yesNo(value);
    case "DATE":
      return formats.day(value);
    case "GENDER":
      return genderName(value);
    case "COUNTRY":
      return countryName(value);
    default:
      return value;
  }
}

export const countryOptions = countries
  .map((value) => ({ value, label: countryName(value) }))
  .sort((one, other) => one.label.localeCompare(other.label, "en"));

const none = { value: "", label: "not given" };
const options: Partial<Record<ValueType, readonly Option[]>> = {
  BOOLEAN: [none, { value: "true", label: "Yes" }, { value: "false", label: "No" }],
  GENDER: [none, ...genders.map((value) => ({ value, label: genderName(value) }))],
  COUNTRY: [none, ...countryOptions],
};
const inputs: Partial<Record<ValueType, Pick<TextField, "type" | "inputMode" | "width">>> = {
  REAL: { inputMode: "decimal", width: "medium" },
  DATE: { type: "date", width: "medium" },
  EMAIL: { type: "email" },
  PHONE: { type: "tel", width: "medium" },
};

interface ValueField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | null;
  readonly hint?: string;
}

export function valueField(type: DataType, field: ValueField): Html {
  const kind = kinds[type];
  const choices = options[kind];
  const given = { ...field, isOptional: true };
  return choices === undefined
    ? textField({ ...given, ...inputs[kind] })
    : selectField({ ...given, options: choices, width: "medium" });
}
