/**
 * Pages with every component, once with data as it is in an installation and once with hostile data: long
 * names without a space, markup, right-to-left text, huge numbers. They are what a designer looks at.
 */

import { timeline } from "#console/pages/subscribers/history.ts";
import { badge, stateBadge, subscriberStates } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { barChart, lineChart } from "#html/components/charts.ts";
import { codeBlock, secret } from "#html/components/code.ts";
import { confirmation, emptyState, live, notice, progress } from "#html/components/feedback.ts";
import * as fields from "#html/components/fields.ts";
import { definitions, stats } from "#html/components/figures.ts";
import { menu } from "#html/components/menu.ts";
import { card, pageHeader, section, tabs } from "#html/components/page-header.ts";
import { pager, selectionBar, table } from "#html/components/table.ts";
import { cardFrame, type Frame, frame } from "#html/frame.ts";
import { type Html, html } from "#html/html.ts";
import type { IconName } from "#html/icons.ts";
import { linkedAssets } from "#html/served-assets.ts";

export const HOSTILE = `<img src=x onerror="alert(1)">'"&amp;</script></title>\u202eevil ${"W".repeat(90)}`;
const LOCALE = "en-GB";
const number = (value: number): string => new Intl.NumberFormat(LOCALE).format(value);

const footer = {
  version: "0.1.0",
  links: [
    { label: "Help", href: "/default.asmx" },
    { label: "API reference", href: "/api/v2/reference" },
  ],
};
const assets = linkedAssets("");

const navigation = (current: string): Frame["navigation"] => {
  const link = (label: string, icon: IconName, count: string | null = null) => ({
    label,
    icon,
    count,
    href: `/${label.toLowerCase()}`,
    isCurrent: label === current,
  });
  return [
    {
      label: null,
      links: [link("Overview", "overview"), link("Subscribers", "people"), link("Lists", "lists")],
    },
    {
      label: "Data",
      links: [link("Import", "import"), link("Fields", "fields"), link("Campaigns", "campaigns")],
    },
    {
      label: "Programs",
      links: [link("Refused calls", "refused", "3"), link("Integrations", "integrations")],
    },
    { label: null, links: [link("Settings", "settings")] },
  ];
};

function page(title: string, current: string, body: Html, given: Partial<Frame> = {}): string {
  return frame({
    title,
    assets,
    brand: { href: "/overview" },
    navigation: navigation(current),
    accounts: {
      current: "Northwind Coffee",
      accounts: [
        { label: "Northwind Coffee", href: "/overview", isCurrent: true },
        { label: "Harbour Books", href: "/other", isCurrent: false },
      ],
      all: { label: "All accounts", href: "/accounts" },
    },
    search: { action: "/search", label: "Find an address, list, campaign, key or call" },
    user: {
      name: "Grace Hopper",
      detail: "Administrator",
      links: [
        { label: "Your profile", href: "/profile" },
        { label: "Sessions", href: "/sessions" },
      ],
      theme: {
        action: "/theme",
        label: "Appearance",
        back: "/",
        choices: [
          { value: "auto", label: "Auto", isCurrent: true },
          { value: "dark", label: "Dark", isCurrent: false },
        ],
      },
      signOut: { action: "/sign-out", label: "Sign out" },
    },
    body,
    footer,
    ...given,
  });
}

const days = Array.from({ length: 30 }, (_, at) => ({
  label: `${at + 1} Nov`,
  up: Math.round(60 + 45 * Math.sin(at / 3) + ((at * 37) % 23)),
  down: Math.round(12 + ((at * 17) % 9)),
}));
const levels = days.map(({ label }, at) => ({
  label,
  value: 41_800 + days.slice(0, at + 1).reduce((sum, day) => sum + day.up - day.down, 0),
}));
export const growth = (title = "Joined and left per day", shown: typeof days = days): Html =>
  barChart({ title, locale: LOCALE, labelName: "Day", names: ["Joined", "Left"], days: shown });

const people = [
  {
    email: "ada.lovelace@example.org",
    name: "Ada Lovelace",
    state: "active",
    lists: 3,
    since: "12 Nov 2026",
  },
  { email: "alan@example.com", name: "Alan Turing", state: "pending", lists: 1, since: "12 Nov 2026" },
  {
    email: "barbara.liskov@example.net",
    name: "Barbara Liskov",
    state: "unsubscribed",
    lists: 0,
    since: "9 Nov 2026",
  },
  { email: "edsger@example.org", name: "Edsger Dijkstra", state: "bounced", lists: 2, since: "2 Nov 2026" },
  { email: "frances.allen@example.com", name: "", state: "complained", lists: 1, since: "30 Oct 2026" },
  { email: "john@example.net", name: "John Backus", state: "blocked", lists: 12, since: "3 Mar 2024" },
] as const;

export const overview = (): string =>
  page(
    "Overview",
    "Overview",
    html`${pageHeader({
      title: "Overview",
      description: "All is well. The last call came 12 seconds ago.",
      actions: [buttonLink({ label: "Import", href: "/import", icon: "import", emphasis: "primary" })],
    })}
${stats([
  {
    label: "Active subscribers",
    value: "43,318",
    detail: "+1,518 in 30 days",
    tone: "good",
    href: "/subscribers",
  },
  { label: "Lists", value: "8", detail: "2 without members", href: "/lists" },
  { label: "Joined today", value: "94", detail: "61 by this time yesterday" },
  { label: "Refused calls", value: "3", detail: "waiting for you", tone: "warning", href: "/refused" },
])}
<div class="stack part">${growth()}${lineChart({ title: "Active subscribers", locale: LOCALE, labelName: "Day", name: "Active", days: levels })}</div>
${section(
  "Last campaigns",
  table({
    caption: "Last campaigns",
    columns: [
      { label: "Campaign", cell: (row: readonly string[]) => row[0] ?? "" },
      { label: "Sent", cell: (row) => row[1] ?? "", isMinor: true },
      { label: "Unsubscribed", cell: (row) => row[2] ?? "", isNumber: true },
      { label: "Bounced", cell: (row) => row[3] ?? "", isNumber: true },
      { label: "Complained", cell: (row) => row[4] ?? "", isNumber: true },
    ],
    rows: [
      ["November newsletter", "12 Nov 2026", "38", "112", "2"],
      ["New roastery in Porto", "28 Oct 2026", "9", "1,004", "0"],
      ["Autumn blend", "3 Oct 2026", "51", "96", "1"],
    ],
    href: () => "/campaign",
  }),
  { actions: [buttonLink({ label: "All campaigns", href: "/campaigns", emphasis: "quiet" })] },
)}`,
  );

export const members = (): string =>
  page(
    "Newsletter",
    "Lists",
    html`${pageHeader({
      title: "Newsletter",
      parent: { label: "Lists", href: "/lists" },
      aside: badge("List 12"),
      actions: [
        buttonLink({ label: "Add", href: "/add", icon: "plus", emphasis: "primary" }),
        buttonLink({ label: "Export", href: "/export", icon: "export", isDownload: true }),
        menu("More", [
          { label: "Rename", href: "/rename" },
          { label: "Delete the list", href: "/delete", isDanger: true },
        ]),
      ],
    })}
${tabs("States", [
  { label: "All", href: "/all", isCurrent: true, count: "43,921" },
  { label: "Active", href: "/active", isCurrent: false, count: "43,318" },
  { label: "Pending", href: "/pending", isCurrent: false, count: "204" },
  { label: "Unsubscribed", href: "/unsubscribed", isCurrent: false, count: "399" },
  { label: "Bounced", href: "/bounced", isCurrent: false, count: "0" },
])}
<form method="get" action="/members" class="inline-form">
${fields.textField({ name: "contains", label: "Address or name", type: "search", isOptional: true, value: "example" })}
${fields.selectField({
  name: "field",
  label: "Field",
  isOptional: true,
  options: [
    { value: "", label: "any" },
    { value: "town", label: "Town" },
  ],
})}
${button({ label: "Filter" })}
</form>
<form method="post" action="/bulk">
${table({
  caption: "Members of the list Newsletter",
  columns: [
    { label: "Address", cell: (row: (typeof people)[number]) => row.email },
    { label: "Name", cell: ({ name }) => name },
    { label: "State", cell: ({ state }) => stateBadge(state) },
    { label: "Lists", cell: ({ lists }) => lists, isNumber: true },
    { label: "Since", cell: ({ since }) => html`<time>${since}</time>`, isMinor: true },
  ],
  rows: people,
  href: () => "/person",
  selection: {
    name: "id",
    value: ({ email }) => email,
    label: ({ email }) => `Select ${email}`,
    isSelected: ({ state }) => state === "pending",
  },
  actions: ({ email }) =>
    menu(
      `Actions for ${email}`,
      [
        { label: "Edit", href: "/edit" },
        { label: "Remove from the list", href: "/remove", isDanger: true },
      ],
      "dots",
    ),
})}
${selectionBar(people.length, button({ label: "Remove from the list" }))}
${pager({ text: "1 to 6 of 43,921 people", previous: null, next: "?after=x" })}
</form>`,
  );

export const person = (): string =>
  page(
    "Ada Lovelace",
    "Subscribers",
    html`${pageHeader({
      title: "ada.lovelace@example.org",
      parent: { label: "Subscribers", href: "/subscribers" },
      aside: stateBadge("unsubscribed"),
      description: "Ada does not get mail: she unsubscribed herself on 9 November.",
      actions: [
        buttonLink({ label: "Edit", href: "/edit", icon: "edit" }),
        menu("More", [
          { label: "Download everything", href: "/download" },
          { label: "Reactivate", href: "/reactivate" },
          { label: "Erase", href: "/erase", isDanger: true },
        ]),
      ],
    })}
<div class="columns">
${card(
  html`<h2>Person</h2>${definitions([
    ["Name", "Ada Lovelace"],
    ["Language", "English"],
    ["Birthday", null],
    ["Town", "London"],
    ["Lists", html`<a href="/list">Newsletter</a>, <a href="/list">Events</a>`],
    ["Since", html`<time>12 March 2024, 10:02</time>`],
  ])}`,
)}
${card(
  html`<h2>Why she is unsubscribed</h2>${timeline([
    {
      icon: "mail",
      tone: "neutral",
      sentence: "Ada unsubscribed with the link in the campaign “November newsletter”.",
      time: "9 Nov 2026, 18:31",
      machineTime: "2026-11-09T18:31:00Z",
      source: html`Campaign <a href="/campaign">November newsletter</a>`,
    },
    {
      icon: "plus",
      tone: "good",
      sentence: "She was added to the list Events.",
      time: "2 Oct 2026, 09:14",
      machineTime: "2026-10-02T09:14:00Z",
      source: html`Key <code>…7f3a</code> “Web shop”`,
    },
    {
      icon: "bounce",
      tone: "warning",
      sentence: "A message came back: the mailbox was full (452 4.2.2).",
      time: "1 Aug 2026, 07:00",
      machineTime: "2026-08-01T07:00:00Z",
      source: "Automatic",
    },
    {
      icon: "user",
      tone: "info",
      sentence: "Grace Hopper corrected the name from “Ada Lovlace”.",
      time: "12 Mar 2024, 10:05",
      machineTime: "2024-03-12T10:05:00Z",
    },
  ])}`,
)}
</div>`,
  );

const form = (
  hostile = "",
): Html => html`<form class="form" method="post" action="/save" enctype="multipart/form-data">
${fields.errorSummary("The list was not created.", [{ name: "list-name", text: "There is already a list with this name." }], fields.textField({ name: "list-name", label: `Name ${hostile}` }))}
${fields.textField({ name: "list-name", label: `Name ${hostile}`, value: hostile || "Newsletter", error: `There is already a list with this name. ${hostile}`, hint: "Only you see it." })}
${fields.textField({ name: "email", label: "Address", type: "email", placeholder: "e.g. ada@example.org", isOptional: true, width: "medium" })}
${fields.selectField({
  name: "format",
  label: "Date format",
  value: "dmy",
  width: "medium",
  options: [
    { value: "ymd", label: "2026-11-16" },
    { value: "dmy", label: `16.11.2026 ${hostile}` },
  ],
})}
${fields.radioGroup({
  name: "scope",
  label: "Access",
  value: "read",
  options: [
    { value: "read", label: `Read only ${hostile}`, hint: "Can look at lists and people." },
    { value: "write", label: "Full", hint: "Can add, change and remove people." },
  ],
})}
${fields.textArea({ name: "reason", label: "Reason", value: hostile, isOptional: true, hint: "It is kept with the change." })}
${fields.checkbox({ name: "double", label: "Ask new members to confirm", isChecked: true, hint: "They are pending until they do." })}
${fields.fileField({ name: "file", label: "File", prompt: "or drop a CSV file here", accept: ".csv,text/csv", upload: "/uploads" })}
${buttonRow(button({ label: "Create the list", emphasis: "primary" }), buttonLink({ label: "Cancel", href: "/lists" }))}
</form>`;

export const forms = (): string =>
  page(
    "New list",
    "Lists",
    html`${pageHeader({ title: "New list", parent: { label: "Lists", href: "/lists" } })}${form()}`,
    {
      notice: notice("good", "The list Events was deleted."),
    },
  );

export const steps = (): string =>
  page(
    "Import",
    "Import",
    html`${pageHeader({ title: "Components" })}
<div class="stack">
${notice("info", "The import goes on.", "You can leave this page.")}
${notice("warning", "This page is not encrypted.", "Everybody on the way can read the password. Serve the console over https.")}
${notice("bad", "The key was not created.", "There are already 100 keys. Revoke one first.")}
${progress({ label: "Import", done: 12_000, total: 50_000, text: "12,000 of 50,000 rows, about 2 minutes left" })}
${progress({ label: "Preparing", done: 0, total: null, text: "Counting the rows" })}
${confirmation({
  title: "Delete the list Newsletter?",
  affected: "43,921 people",
  consequences: [
    "They stay subscribers, but are no longer on this list.",
    "Programs that add people to list 12 get an error from then on.",
    "This cannot be undone.",
  ],
  isDangerous: true,
  body: buttonRow(
    button({ label: "Delete the list", emphasis: "danger" }),
    buttonLink({ label: "Keep it", href: "/lists" }),
  ),
})}
${secret("The new key", "8f14e45fceea167a5a36dedd4bea2543", "Copy it now: it is not shown again.")}
${codeBlock("curl command", `curl https://mail.example.org/default.asmx \\\n  -H 'Content-Type: text/xml; charset=utf-8' \\\n  --data-binary @request.xml`)}
${emptyState({
  title: "No campaigns yet",
  text: "A campaign appears here when your sending program reports its first unsubscribe, bounce or complaint.",
  icon: "campaigns",
  actions: [buttonLink({ label: "Create a key for the program", href: "/keys", emphasis: "primary" })],
})}
<div class="buttons">${subscriberStates.map(stateBadge)}</div>
</div>`,
  );

const zero = days.map((day) => ({ ...day, up: 0, down: 0 }));
export const chartCases = (): readonly Html[] => [
  growth("No days", []),
  growth("One day", days.slice(0, 1)),
  growth("All zero", zero),
  growth("Only left", days.map((day) => ({ ...day, up: 0 })).slice(0, 7)),
  growth(
    "Huge",
    days.map((day) => ({ ...day, up: day.up * 1e12, down: 1 })),
  ),
  growth(
    "A correction",
    days.slice(0, 5).map((day) => ({ ...day, up: -day.up })),
  ),
  growth(
    HOSTILE,
    days.slice(0, 3).map((day) => ({ ...day, label: HOSTILE })),
  ),
  growth(
    "A quarter",
    Array.from({ length: 90 }, (_, at) => ({ ...days[at % 30], label: `Day ${at}`, up: at, down: 3 })),
  ),
  ...[[], [5], [0, 0, 0], [900_719_925_474_099, 900_719_925_474_000], [-4, 12, -9]].map((values) =>
    lineChart({
      title: `A line of ${values.length}`,
      locale: LOCALE,
      labelName: "Day",
      name: "Active",
      days: values.map((value, at) => ({ label: `${at + 1} Nov`, value })),
    }),
  ),
];
export const charts = (): string =>
  page(
    "Charts",
    "Overview",
    html`${pageHeader({ title: "Charts" })}<div class="columns">${chartCases()}</div>`,
  );

/** The same components with text that wants out of its place. */
export const hostile = (): string =>
  page(
    HOSTILE,
    "Lists",
    html`${pageHeader({ title: HOSTILE, parent: { label: HOSTILE, href: "/lists" }, description: HOSTILE, aside: badge("List 12"), actions: [menu(HOSTILE.slice(0, 20), [{ label: HOSTILE, href: "/x" }])] })}
${tabs("Tabs", [{ label: HOSTILE, href: `/?${HOSTILE}`, isCurrent: true, count: number(Number.MAX_SAFE_INTEGER) }])}
${stats([
  { label: HOSTILE, value: number(Number.MAX_SAFE_INTEGER), detail: HOSTILE },
  { label: "Lists", value: "8" },
])}
${section(
  HOSTILE,
  table({
    caption: HOSTILE,
    columns: [
      { label: "Name", cell: (row: string) => row },
      { label: HOSTILE.slice(0, 30), cell: (row) => row.slice(0, 60) },
      { label: "Members", cell: () => number(Number.MAX_SAFE_INTEGER), isNumber: true },
    ],
    rows: [HOSTILE, "x"],
    href: (row) => `/list?${row}`,
    selection: { name: "id", value: (row) => row, label: (row) => `Select ${row}` },
  }),
)}
${pager({ text: HOSTILE, previous: `?${HOSTILE}`, next: null })}
${notice("bad", HOSTILE, HOSTILE)}
${confirmation({ title: HOSTILE, affected: HOSTILE, consequences: [HOSTILE], isDangerous: true, body: button({ label: HOSTILE, emphasis: "danger" }) })}
${definitions([[HOSTILE, HOSTILE]])}
${timeline([{ icon: "mail", sentence: HOSTILE, time: "now", machineTime: "2026-11-16T00:00:00Z", source: HOSTILE }])}
${secret(HOSTILE, HOSTILE, HOSTILE)}
${emptyState({ title: HOSTILE, text: HOSTILE })}
${progress({ label: HOSTILE, done: 9, total: 3, text: HOSTILE })}
${form(HOSTILE)}`,
    {
      accounts: { current: HOSTILE, accounts: [{ label: HOSTILE, href: "/", isCurrent: true }] },
      user: {
        name: HOSTILE,
        detail: HOSTILE,
        links: [],
        theme: {
          action: "/theme",
          label: "Appearance",
          back: "/",
          choices: [
            { value: "auto", label: "Auto", isCurrent: true },
            { value: "dark", label: "Dark", isCurrent: false },
          ],
        },
        signOut: { action: "/sign-out", label: "Sign out" },
      },
      notice: notice("good", HOSTILE),
    },
  );

export const signIn = (): string =>
  cardFrame({
    title: "Sign in",
    assets,
    brand: { href: "/" },
    body: html`<h1>Sign in</h1>
<form class="form" method="post" action="/sign-in">
${fields.textField({ name: "email", label: "E-mail", type: "email", autocomplete: "username" })}
${fields.textField({ name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
${buttonRow(button({ label: "Sign in", emphasis: "primary" }))}
</form>`,
    footer,
  });

export const samplePages = { overview, members, person, forms, steps, charts, hostile, signIn } as const;

const saving = (label: string): Html =>
  html`<form method="post" action="/saved">${button({ label, name: "do", value: label })}</form>`;
/**
 * A page that shows what was sent, and has everything that needs a script. Its buttons "Pause" and "Retry"
 * are gone after they were used.
 */
export const interactivePage = (said: string): string =>
  page(
    "Interactive",
    "Lists",
    html`${pageHeader({ title: "Interactive" })}
<p>Said: ${said === "" ? "nothing" : said}</p>
<form class="form" method="post" action="/saved">
${fields.textField({ name: "field", label: "Name" })}
${buttonRow(button({ label: "Save", emphasis: "primary" }))}
</form>
<div>${said === "" ? saving("Pause") : buttonLink({ label: "Resume", href: "/interactive" })}</div>
${said === "" ? saving("Retry") : null}
<form method="post" action="/drop">${button({ label: "Send into the void" })}</form>
<details><summary>Details to keep open</summary><p>Kept open</p></details>
${live("/stream", html`<p>Waiting for the stream</p>`, { label: "Reload to see the progress", href: "" })}
${codeBlock("Something to copy", "copied")}`,
    { search: { action: "/saved", label: "Find an address, list, campaign, key or call" } },
  );
