/**
 * Filters: which subscribers of an audience or a search are meant. Every condition must hold. A condition
 * about something that does not exist any more holds for nobody, so a filter can only remove people.
 */
import type { Campaign, CampaignId } from "../campaign.ts";
import { parseCountry } from "../country.ts";
import { parseCustomValue } from "../field/custom-value.ts";
import type { DataType, Field } from "../field/field.ts";
import type { BasicData } from "./subscriber.ts";

export const MAX_CONDITIONS = 20;
/** Longer than any stored value that somebody looks for. */
export const MAX_COMPARED = 200;

/** What a condition can be about, besides a custom field or a campaign. */
export const basicSubjects = ["first name", "last name", "country", "joined"] as const;
export type BasicSubject = (typeof basicSubjects)[number];

/** The order is that in which they are offered. */
export const filterTests = [
  "is",
  "is not",
  "contains",
  "starts with",
  "is less than",
  "is at least",
  "is before",
  "is on or after",
  "is empty",
  "is not empty",
  "received",
  "not received",
] as const;
export type FilterTest = (typeof filterTests)[number];

/** As it is stored: the id of a field is text, because it has 64 bits. */
export interface Condition {
  readonly about: BasicSubject | { readonly field: string } | { readonly campaign: CampaignId };
  readonly test: FilterTest;
  /** Empty for a test that needs none. */
  readonly value: string;
}
export type Filter = readonly Condition[];

/** How the values of a subject are compared. */
type Kind = "text" | "number" | "date" | "yes or no" | "word" | "campaign";
const kindsOfTypes: Readonly<Record<DataType, Kind>> = {
  STRING: "text",
  ORIGIN: "text",
  EMAIL: "text",
  PHONE: "text",
  REAL: "number",
  SCORE: "number",
  DATE: "date",
  BOOLEAN: "yes or no",
  CONSENT: "yes or no",
  PERMISSION: "yes or no",
  GDPR: "yes or no",
  GENDER: "word",
  COUNTRY: "word",
};
const kindsOfBasics: Readonly<Record<BasicSubject, Kind>> = {
  "first name": "text",
  "last name": "text",
  country: "word",
  joined: "date",
};
const emptiness = ["is empty", "is not empty"] as const;
const equality = ["is", "is not"] as const;
const testsOfKinds: Readonly<Record<Kind, readonly FilterTest[]>> = {
  text: [...equality, "contains", "starts with", ...emptiness],
  number: [...equality, "is less than", "is at least", ...emptiness],
  date: [...equality, "is before", "is on or after", ...emptiness],
  "yes or no": [...equality, ...emptiness],
  word: [...equality, ...emptiness],
  campaign: ["received", "not received"],
};
const withoutValue: ReadonlySet<FilterTest> = new Set([...emptiness, "received", "not received"]);
export const needsValue = (test: FilterTest): boolean => !withoutValue.has(test);

const kindOf = (about: Condition["about"], type: DataType | null): Kind =>
  typeof about === "string"
    ? kindsOfBasics[about]
    : "campaign" in about
      ? "campaign"
      : kindsOfTypes[type ?? "STRING"];
/** Which tests a condition may have. `type`: that of its field. */
export const testsOf = (about: Condition["about"], type: DataType | null): readonly FilterTest[] =>
  testsOfKinds[kindOf(about, type)];

const expected: Readonly<Record<Kind, string>> = {
  text: `1 to ${MAX_COMPARED} characters`,
  number: "a number such as 4.5",
  date: "a date such as 2026-11-14",
  "yes or no": "true or false",
  word: "a code such as DE, or M, F or X for a gender",
  campaign: "no value",
};

/** As it is stored, or what is wrong with it. `type`: that of its field. */
export function checkedCondition(
  { about, test, value }: Condition,
  type: DataType | null,
): Condition | { readonly problem: string } {
  const kind = kindOf(about, type);
  const tests = testsOfKinds[kind];
  if (!tests.includes(test)) return { problem: `must be one of: ${tests.join(", ")}` };
  if (!needsValue(test)) return { about, test, value: "" };
  const given = value.trim();
  const problem = { problem: `needs ${expected[kind]}` };
  if (given === "" || given.length > MAX_COMPARED) return problem;
  if (about === "country") return withValue(parseCountry(given));
  const compared = about === "joined" ? "DATE" : type;
  return withValue(kind === "text" || compared === null ? given : parseCustomValue(compared, given, null));

  function withValue(normal: string | null): Condition | { readonly problem: string } {
    return normal === null ? problem : { about, test, value: normal };
  }
}

/** What a filter is compared with. */
export interface Facts extends Pick<BasicData, "firstName" | "lastName" | "country"> {
  /** The day, in UTC, on which they became a subscriber. */
  readonly joined: string;
  /** By the id of the field. */
  readonly values: ReadonlyMap<string, string>;
  /** The campaigns of the filter that they have got, or may have got. */
  readonly received: ReadonlySet<CampaignId>;
}
/** What of the things that a filter names exists: fields with their types, and campaigns with a ledger. */
export interface Known {
  readonly types: ReadonlyMap<string, DataType>;
  readonly campaigns: ReadonlySet<CampaignId>;
}

/** Whether everything that it names exists. */
export const isKnown = ({ about }: Condition, { types, campaigns }: Known): boolean =>
  typeof about === "string" || ("field" in about ? types.has(about.field) : campaigns.has(about.campaign));
/** The conditions that hold for nobody, because what they are about does not exist any more. */
export const goneOf = (filter: Filter, known: Known): Filter =>
  filter.filter((condition) => !isKnown(condition, known));

/** The fields and campaigns that the conditions name, each once. */
export function namedBy(filter: Filter) {
  const subjects = filter.map(({ about }) => about).filter((about) => typeof about !== "string");
  return {
    fields: [...new Set(subjects.flatMap((about) => ("field" in about ? [about.field] : [])))],
    campaigns: [...new Set(subjects.flatMap((about) => ("campaign" in about ? [about.campaign] : [])))],
  };
}

/** Made once for many people. */
export function matcherOf(filter: Filter, known: Known): (facts: Facts) => boolean {
  if (goneOf(filter, known).length > 0) return () => false;
  const tests = filter.map((condition) => matcherOfOne(condition, known));
  return (facts) => tests.every((holds) => holds(facts));
}

function matcherOfOne({ about, test, value }: Condition, { types }: Known): (facts: Facts) => boolean {
  if (typeof about === "object" && "campaign" in about)
    return ({ received }) => received.has(about.campaign) === (test === "received");
  const read = reader(about);
  const holds = comparison(
    test,
    value,
    kindOf(about, typeof about === "string" ? null : (types.get(about.field) ?? null)),
  );
  return (facts) => holds(read(facts));
}

function reader(about: BasicSubject | { readonly field: string }): (facts: Facts) => string {
  if (typeof about === "object") return ({ values }) => values.get(about.field) ?? "";
  switch (about) {
    case "first name":
      return ({ firstName }) => firstName;
    case "last name":
      return ({ lastName }) => lastName;
    case "country":
      return ({ country }) => country ?? "";
    case "joined":
      return ({ joined }) => joined;
  }
}

/** Letters of any case are equal. An empty value is not less and not more than any other. */
const plain = (text: string): string => text.normalize("NFC").trim().toLowerCase();
function comparison(test: FilterTest, value: string, kind: Kind): (stored: string) => boolean {
  const wanted = plain(value);
  switch (test) {
    case "is":
      return (stored) => plain(stored) === wanted;
    case "is not":
      return (stored) => plain(stored) !== wanted;
    case "contains":
      return (stored) => plain(stored).includes(wanted);
    case "starts with":
      return (stored) => plain(stored).startsWith(wanted);
    case "is less than":
    case "is before":
      return kind === "number"
        ? (stored) => stored !== "" && Number(stored) < Number(value)
        : (stored) => stored !== "" && stored < value;
    case "is at least":
    case "is on or after":
      return kind === "number"
        ? (stored) => stored !== "" && Number(stored) >= Number(value)
        : (stored) => stored >= value;
    case "is empty":
      return (stored) => plain(stored) === "";
    case "is not empty":
      return (stored) => plain(stored) !== "";
    case "received":
    case "not received":
      return () => false;
  }
}

/**
 * How a condition is written: `country is DE`, `Town starts with Ber`, `campaign 5 not received`; with the
 * name of the campaign, if it is given, `campaign 5 (Spring) not received`.
 */
export function conditionText(
  { about, test, value }: Condition,
  fields: readonly Field[],
  campaigns: readonly Pick<Campaign, "id" | "name">[] = [],
): string {
  const campaignText = (campaign: CampaignId): string => {
    const name = campaigns.find(({ id }) => id === campaign)?.name;
    return `campaign ${campaign}${name === undefined ? "" : ` (${name})`}`;
  };
  const subject =
    typeof about === "string"
      ? about
      : "campaign" in about
        ? campaignText(about.campaign)
        : (fields.find(({ id }) => String(id) === about.field)?.name ?? `field ${about.field}`);
  return `${subject} ${test}${needsValue(test) ? ` ${value}` : ""}`;
}

/**
 * Reads what `conditionText` writes; null: it is none. Of two fields the one with the longer name is meant,
 * and of two tests the longer one.
 */
export function readCondition(text: string, fields: readonly Field[]): Condition | null {
  const given = text.trim();
  const [, written = "", campaign] = /^(campaign (\d{1,15})(?: \(.*\))?) /i.exec(given) ?? [];
  const subjects: readonly (readonly [name: string, about: Condition["about"]])[] = [
    ...basicSubjects.map((name) => [name, name] as const),
    ...fields.map(({ id, name }) => [name, { field: String(id) }] as const),
    ...fields.map(({ id }) => [`field ${id}`, { field: String(id) }] as const),
    ...(campaign === undefined ? [] : [[written, { campaign: Number(campaign) }] as const]),
  ];
  for (const [name, about] of longestFirst(subjects, ([one]) => one, given)) {
    const rest = given.slice(name.length).trim();
    const [test] = longestFirst(filterTests, (one) => one, rest);
    if (test !== undefined) return { about, test, value: rest.slice(test.length).trim() };
  }
  return null;
}

/** Those that the text begins with, as whole words. */
function longestFirst<T>(among: readonly T[], nameOf: (one: T) => string, text: string): readonly T[] {
  const lower = `${text.toLowerCase()} `;
  return among
    .filter((one) => lower.startsWith(`${nameOf(one).toLowerCase()} `))
    .toSorted((one, other) => nameOf(other).length - nameOf(one).length);
}
