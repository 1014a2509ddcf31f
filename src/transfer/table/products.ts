/**
 * Exports of other products, recognised by headings that only they have together. Their columns, and their
 * words for states, mean what the product means by them, so an import of such a file needs no mapping.
 *
 * Headings and words are from the source code of listmonk, phpList, Mailtrain and Keila, and otherwise from
 * public examples of exports. A column that is not listed means what its heading means in any table.
 */
import type { State } from "#domain/subscriber/subscriber.ts";
import { isYes } from "../values/yes-no.ts";
import { bareName, headings, type StandardColumn, type StateReader } from "./known-headings.ts";

export interface Product {
  readonly label: string;
  /** Said to whoever imports such a file. */
  readonly note: string | null;
  /** All headings of one of these sets occur. */
  readonly signatures: readonly (readonly string[])[];
  /** What a heading means in this table; null: the same as in any table. Given in normalized form. */
  readonly columnOf: (heading: string) => StandardColumn | null;
}

/** By the heading that stands for the column, such as `subscribed_at`. */
const column = (name: string): StandardColumn =>
  headings.find(([, [first]]) => first === name)?.[0] ?? { kind: "ignored" };
const words =
  (meanings: Readonly<Record<string, State | "pending" | null>>): StateReader =>
  (text) =>
    meanings[text.trim().toLowerCase()];
const birthdayHeadings = headings.flatMap(([one, names]) =>
  one.kind === "basic" && one.name === "birthday" ? names : [],
);
/** A column that says yes or no; no, and an empty cell, say nothing about the state. */
const flag =
  (state: State | "pending"): StateReader =>
  (text) =>
    isYes(text) === true ? state : null;
const anything =
  (state: State): StateReader =>
  () =>
    state;

type Suppression = Extract<StandardColumn, { kind: "suppression" }>["suppression"];
const suppressed = (suppression: Suppression, reads: StateReader): StandardColumn => ({
  ...{ kind: "suppression", suppression, reads },
});
const state = (reads: StateReader): StandardColumn => ({ kind: "state", reads });
const ofAll = (suppression: Suppression): StandardColumn => ({
  ...{ kind: "suppression", suppression, isOfAll: true },
});

function product(
  label: string,
  signatures: Product["signatures"],
  columns: Readonly<Record<string, StandardColumn>>,
  {
    ignored = [],
    beginnings = {},
    note = null,
  }: {
    readonly ignored?: readonly string[];
    /** By what the heading begins with. */
    readonly beginnings?: Readonly<Record<string, StandardColumn>>;
    readonly note?: string | null;
  } = {},
): Product {
  const known = new Map([
    ...ignored.map((heading) => [bareName(heading), { kind: "ignored" } as StandardColumn] as const),
    ...Object.entries(columns).map(([heading, one]) => [bareName(heading), one] as const),
  ]);
  const starts = Object.entries(beginnings).map(([start, one]) => [bareName(start), one] as const);
  return {
    ...{ label, note, signatures: signatures.map((all) => all.map(bareName)) },
    columnOf: (heading) =>
      known.get(heading) ?? starts.find(([start]) => heading.startsWith(start))?.[1] ?? null,
  };
}

const products: readonly Product[] = [
  product(
    "Mailchimp",
    [["MEMBER_RATING", "LEID", "EUID"]],
    {
      CONFIRM_TIME: column("subscribed_at"),
      CC: column("country"),
      UNSUB_TIME: ofAll("unsubscribed"),
      CLEAN_TIME: ofAll("bounced"),
    },
    {
      note: "birthdays are left out: those of Mailchimp have no year",
      ignored: [
        ...birthdayHeadings,
        ...["EMAIL_TYPE", "MEMBER_RATING", "OPTIN_TIME", "OPTIN_IP", "CONFIRM_IP", "LATITUDE", "LONGITUDE"],
        ...["GMTOFF", "DSTOFF", "TIMEZONE", "REGION", "LAST_CHANGED", "LEID", "EUID"],
        ...["UNSUB_CAMPAIGN_TITLE", "UNSUB_CAMPAIGN_ID", "CLEAN_CAMPAIGN_TITLE", "CLEAN_CAMPAIGN_ID"],
      ],
    },
  ),
  product(
    "listmonk",
    [["uuid", "attributes", "status"]],
    {
      name: column("full_name"),
      status: state(words({ enabled: "active", disabled: "unsubscribed" })),
      created_at: column("subscribed_at"),
    },
    { ignored: ["uuid", "updated_at"] },
  ),
  product(
    "phpList",
    [
      ["Is this subscriber confirmed", "Last Modified"],
      ["Is this user confirmed", "Last Modified"],
    ],
    {
      Name: column("full_name"),
      Entered: column("subscribed_at"),
      "Is this subscriber confirmed": state(words({ 0: "pending", 1: null })),
      "Is this user confirmed": state(words({ 0: "pending", 1: null })),
      "Is this subscriber blacklisted": suppressed("blocked", flag("blocked")),
      "Is this user blacklisted": suppressed("blocked", flag("blocked")),
      "Is this account disabled?": suppressed("unsubscribed", flag("unsubscribed")),
    },
    {
      ignored: [
        ...["id", "Did this subscriber manually confirm", "Did this user manually confirm", "Last Modified"],
        ...[
          "Number of bounces",
          "Number of bounces on this user",
          "Password",
          "Foreign Key",
          "RSS Frequency",
        ],
        ...["Send this subscriber HTML emails", "Send this user HTML emails", "Additional data"],
      ],
    },
  ),
  product(
    "Mailtrain",
    [["cid", "HASH_EMAIL", "EMAIL"]],
    {
      MERGE_FIRST_NAME: column("first_name"),
      MERGE_LAST_NAME: column("last_name"),
      MERGE_COUNTRY: column("country"),
    },
    { ignored: ["cid", "HASH_EMAIL"] },
  ),
  product("Keila", [["Email", "First name", "Last name", "Data", "Status"]], {
    Status: state(words({ unreachable: "bounced" })),
  }),
  product(
    "Brevo",
    [["EMAIL", "ADDED_TIME", "MODIFIED_TIME"]],
    {
      ADDED_TIME: column("subscribed_at"),
      EMAIL_BLACKLISTED: suppressed("blocked", flag("blocked")),
      _BLOCKLISTED: suppressed("blocked", (text) => (text.includes("email") ? "blocked" : null)),
    },
    {
      ignored: [
        ...["CONTACT ID", "EXT_ID", "SMS_BLACKLISTED", "MODIFIED_TIME", "_listIds", "_SUBSCRIBED"],
        ...["CONTACT_TIMEZONE", "DOUBLE_OPT-IN", "OPT_IN"],
      ],
    },
  ),
  product(
    "Klaviyo",
    [["Klaviyo ID", "Email Marketing Consent"]],
    {
      "Email Marketing Consent": state(words({ never_subscribed: "pending" })),
      "Date Added": column("subscribed_at"),
      // Whatever the reason: who is suppressed there gets no mail here.
      "Email Suppressions": suppressed("blocked", (text) => (text.trim() === "[]" ? null : "blocked")),
    },
    {
      ignored: [
        ...["Klaviyo ID", "IP Address", "Latitude", "Longitude", "Source", "First Active", "Last Active"],
        ...["Profile Created On", "Last Open", "Last Click", "Email Suppressions Timestamp"],
        // For somebody who left it is the time of that.
        "Email Marketing Consent Timestamp",
      ],
    },
  ),
  product(
    "HubSpot",
    [
      ["Record ID", "Email", "Lifecycle Stage"],
      ["Record ID", "Email", "Create Date"],
      ["Record ID", "Email", "Contact owner"],
    ],
    {
      "Country/Region": column("country"),
      "Create Date": column("subscribed_at"),
      "Unsubscribed from all email": suppressed("unsubscribed", flag("unsubscribed")),
      "Email hard bounce reason": suppressed("bounced", anything("bounced")),
      "Invalid email address": suppressed("bounced", flag("bounced")),
    },
    {
      note: "people who are not marketing contacts there are imported like the others: leave them out of the export if they should get no mail",
      beginnings: { "Opted out of email": suppressed("unsubscribed", flag("unsubscribed")) },
      ignored: [
        ...["Record ID", "Contact owner", "Lead Status", "Lifecycle Stage", "Marketing contact status"],
        ...["Last Activity Date", "Marketing email confirmation status"],
      ],
    },
  ),
  product(
    "Sendy",
    [["Added via", "Opt-in method", "Signed up from", "Status"]],
    {
      Name: column("full_name"),
      Joined: column("subscribed_at"),
      Country: { kind: "ignored" },
      "Country code": column("country"),
    },
    { ignored: ["Last activity", "Added via", "Opt-in method", "IP address", "Signed up from"] },
  ),
];

/** Whose export has such headings; null: of no product that is known. */
export function productOf(headingsOfTable: readonly string[]): Product | null {
  const there = new Set(headingsOfTable.map(bareName));
  return (
    products.find(({ signatures }) => signatures.some((all) => all.every((one) => there.has(one)))) ?? null
  );
}
export const productLabels: readonly string[] = products.map(({ label }) => label);
