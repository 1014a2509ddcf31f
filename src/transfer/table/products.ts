/**
 * Exports of other products, recognised by headings that only they have together. Their columns, and their
 * words for states, mean what the product means by them, so an import of such a file needs no mapping.
 *
 * Headings and words are from the source code of listmonk, phpList, Mailtrain and Keila, and otherwise from
 * public examples of exports and, for the states of MailerLite, from its API. A column that is not listed
 * means what its heading means in any table.
 */
import type { State } from "#domain/subscriber/subscriber.ts";
import { parseState } from "../values/states.ts";
import { isYes } from "../values/yes-no.ts";
import { bareName, columnByName, headings, type StandardColumn, type StateReader } from "./known-headings.ts";

export interface Product {
  readonly label: string;
  /** Shown to users who import such a file; whole sentences. */
  readonly note: string | null;
  /** A table with one of these headings says itself what the note is about. */
  readonly noteUnless: readonly string[];
  /** All headings of one of these sets occur. */
  readonly signatures: readonly (readonly string[])[];
  /** What a heading means in this table; null: the same as in any table. Given in normalized form. */
  readonly columnOf: (heading: string) => StandardColumn | null;
  /** Each file has people of one state only, and says it by having the column of its date or not. */
  readonly hasFilePerState: boolean;
}

/** By the heading that stands for the column, such as `subscribed_at`. */
const column = (name: string): StandardColumn =>
  headings.find(([, [first]]) => first === name)?.[0] ?? { kind: "ignored" };
const words =
  (meanings: Readonly<Record<string, State | "pending" | null>>): StateReader =>
  (text) => {
    const word = text.trim().toLowerCase();
    return Object.hasOwn(meanings, word) ? meanings[word] : undefined;
  };
const birthdayHeadings = headings.flatMap(([one, names]) =>
  one.kind === "basic" && one.name === "birthday" ? names : [],
);
/** A column that says yes or no; no, and an empty cell, say nothing about the state. */
const flag =
  (state: State): StateReader =>
  (text) => {
    const answer = isYes(text);
    if (answer === null) return parseState(text) === state ? state : undefined;
    return answer ? state : null;
  };
/** A column that says whether somebody has agreed. */
export const agreed =
  (otherwise: State | "pending"): StateReader =>
  (text) => {
    const answer = isYes(text);
    return answer === null ? undefined : answer ? null : otherwise;
  };
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
    noteUnless = [],
    hasFilePerState = false,
  }: {
    readonly ignored?: readonly string[];
    /** By what the heading begins with. */
    readonly beginnings?: Readonly<Record<string, StandardColumn>>;
    readonly note?: string | null;
    readonly noteUnless?: readonly string[];
    readonly hasFilePerState?: boolean;
  } = {},
): Product {
  const known = new Map([
    ...ignored.map((heading) => [bareName(heading), { kind: "ignored" } as StandardColumn] as const),
    ...Object.entries(columns).map(([heading, one]) => [bareName(heading), one] as const),
  ]);
  const starts = Object.entries(beginnings).map(([start, one]) => [bareName(start), one] as const);
  return {
    ...{
      label,
      note,
      noteUnless: noteUnless.map(bareName),
      hasFilePerState,
      signatures: signatures.map((all) => all.map(bareName)),
    },
    columnOf: (heading) =>
      known.get(heading) ??
      starts.find(([start]) => heading.startsWith(start))?.[1] ??
      (heading === "tags" ? column("new_field") : null),
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
      note: "Import the files of unsubscribed and cleaned contacts, too. Leave out the file of non-subscribed contacts, who have never subscribed: they would become active.",
      noteUnless: ["UNSUB_TIME", "CLEAN_TIME"],
      hasFilePerState: true,
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
      attributes: column("json_attributes"),
    },
    {
      note: "People who have left a list are still enabled in listmonk: leave them out of the export, or import them as suppressions.",
      ignored: ["uuid", "updated_at"],
    },
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
        ...["Number of bounces", "Number of bounces on this user", "Password", "Foreign Key"],
        "RSS Frequency",
        ...["Send this subscriber HTML emails", "Send this user HTML emails", "Additional data"],
      ],
    },
  ),
  product(
    "Mailtrain",
    [["cid", "status", "HASH_EMAIL", "EMAIL"]],
    {
      MERGE_FIRST_NAME: column("first_name"),
      MERGE_LAST_NAME: column("last_name"),
      MERGE_COUNTRY: column("country"),
    },
    { ignored: ["cid", "HASH_EMAIL"] },
  ),
  product("Keila", [["Email", "First name", "Last name", "Data", "Status"]], {
    Status: state(words({ unreachable: "bounced" })),
    Data: column("json_attributes"),
  }),
  product(
    "Brevo",
    [["EMAIL", "ADDED_TIME", "MODIFIED_TIME"]],
    {
      ADDED_TIME: column("subscribed_at"),
      EMAIL_BLACKLISTED: suppressed("blocked", flag("blocked")),
      _BLOCKLISTED: suppressed("blocked", (text) =>
        text.toLowerCase().includes("email") ? "blocked" : null,
      ),
      OPT_IN: state(agreed("unsubscribed")),
      // 2 is no.
      "DOUBLE_OPT-IN": state((text) => (text.trim() === "2" ? "pending" : agreed("pending")(text))),
    },
    {
      ignored: [
        ...["CONTACT ID", "EXT_ID", "SMS_BLACKLISTED", "MODIFIED_TIME", "_listIds", "_SUBSCRIBED"],
        "CONTACT_TIMEZONE",
      ],
    },
  ),
  product(
    "MailerLite",
    [
      ["Subscriber", "Sent", "Opens", "Clicks"],
      ["Subscriber", "Subscribed", "Location"],
    ],
    {
      Subscriber: column("email"),
      Status: state(words({ junk: "complained" })),
      Name: column("first_name"),
    },
    {
      note: "MailerLite exports people of one state: import a file of people who unsubscribed, bounced or reported spam as addresses not to mail.",
      noteUnless: ["Status"],
      // The state is that of an address.
      ignored: ["Sent", "Opens", "Clicks", "Location", "State"],
    },
  ),
  product(
    "Klaviyo",
    [["Klaviyo ID", "Email Marketing Consent"]],
    {
      "Email Marketing Consent": {
        ...{ kind: "state", reads: words({ never_subscribed: "pending" }), isPendingIfEmpty: true },
      },
      "Date Added": column("subscribed_at"),
      // Whatever the reason: who is suppressed there gets no mail here.
      "Email Suppressions": suppressed("blocked", (text) => (text.trim() === "[]" ? null : "blocked")),
    },
    {
      note: "People who never agreed to get e-mail, whose consent in Klaviyo is empty or NEVER_SUBSCRIBED, are not imported.",
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
      "Marketing email confirmation status": state((text) =>
        /^waiting/i.test(text.trim()) ? "pending" : null,
      ),
    },
    {
      note: "People who are not marketing contacts in HubSpot are imported, too. If they should get no mail, leave them out of the export.",
      beginnings: { "Opted out of email": suppressed("unsubscribed", flag("unsubscribed")) },
      ignored: [
        ...["Record ID", "Contact owner", "Lead Status", "Lifecycle Stage", "Marketing contact status"],
        "Last Activity Date",
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
  const found = products.find(({ signatures }) =>
    signatures.some((all) => all.every((one) => there.has(one))),
  );
  if (found === undefined) return null;
  // Somebody has made a column for it: CC of Mailchimp is only where an address of the internet seems to be.
  const made = new Set(
    [...there].filter((one) => found.columnOf(one) === null).map((one) => columnByName.get(one)),
  );
  return {
    ...found,
    note: found.noteUnless.some((one) => there.has(one)) ? null : found.note,
    columnOf: (heading) => {
      const own = found.columnOf(heading);
      return own !== null && columnByName.get(heading) !== own && made.has(own) ? { kind: "ignored" } : own;
    },
  };
}
export const productLabels: readonly string[] = products.map(({ label }) => label);
