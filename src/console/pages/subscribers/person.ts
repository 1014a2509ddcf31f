/** `…/subscribers/{subscriber}`: a person, their campaign results, and a download of everything stored. */

import { listFields } from "#admin/fields.ts";
import { findList, listLists } from "#admin/lists.ts";
import type { Names } from "#admin/subscribers/names.ts";
import { exportSubscriber, listCampaignResults, showSubscriber } from "#admin/subscribers/record.ts";
import { addSubscriber, removeSubscriber } from "#admin/subscribers/subscribers.ts";
import { toPerson } from "#api/v2/routes/subscriber-export.ts";
import type { CampaignResult, SubscriberRecord } from "#domain/ports/subscribers.ts";
import type { SentCampaign } from "#domain/sending/mailing.ts";
import { clearable } from "#domain/subscriber/subscriber.ts";
import { badge, stateBadge } from "#html/components/badge.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { selectField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { menu } from "#html/components/menu.ts";
import { card, section } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { FormRefused } from "../../kit/errors.ts";
import { doing } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import { allRows, neighbours } from "../../kit/listing.ts";
import { objectLinks } from "../../kit/object-links.ts";
import { download, type Forms, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { skipReasons } from "../campaigns/recipients.ts";
import { recipientBadge } from "../campaigns/state.ts";
import { causesOf, describeEntry, historyTimeline } from "./history.ts";
import { basics, DOWNLOAD, events, PERSON, personTexts, RESULTS, shownValue } from "./person-parts.ts";

/** The lists of a subscriber: to be added to one, and removed from one. */
type ListsContext = PageContext<typeof PERSON>;
type Membership = SubscriberRecord["lists"][number];

async function listsPart(context: ListsContext, record: SubscriberRecord): Promise<Html> {
  const { formats, may } = context;
  const links = objectLinks(context);
  const shown = table({
    caption: "Lists",
    rows: record.lists,
    href: ({ id }: Membership) => links.list(id),
    columns: [
      {
        label: "List",
        cell: ({ name }) => name,
        detail: ({ joinedAt }) => html`<span>Member since ${formats.dateElement(joinedAt)}</span>`,
      },
      { label: "Membership", cell: membershipBadge },
    ],
    ...(may("editor") ? { actions: removeButton } : {}),
  });
  return html`${record.lists.length === 0 ? html`<p>Not on any list.</p>` : shown}
${may("editor") ? await addForm(context, record) : null}`;
}

function membershipBadge({ status, counts }: Membership): Html {
  if (counts) return badge(personTexts.memberships.active, "good");
  return status === "pending"
    ? badge(personTexts.memberships.pending, "info")
    : badge(personTexts.memberships.suspended, "neutral");
}

const removeButton = ({ id }: Membership): Html =>
  html`<form method="post">${doing("remove")}${button({ label: "Remove", emphasis: "quiet", name: "removedList", value: String(id) })}</form>`;

async function addForm(context: ListsContext, record: SubscriberRecord): Promise<Html | null> {
  const shown = context.formState("add");
  const on = new Set(record.lists.map(({ id }) => id));
  const others = (await allRows(context, listLists)).filter(({ id }) => !on.has(id));
  if (record.state !== "active")
    return others.length === 0
      ? null
      : html`<p class="hint">The person cannot be added to lists until they are active again.</p>`;
  if (others.length === 0) return null;
  return formOf("add", {
    state: shown,
    look: "inline-form",
    body: html`${selectField({
      ...shown.field("list"),
      label: "Add to a list",
      options: [
        { value: "", label: "Choose…" },
        ...others.map(({ id, name }) => ({ value: String(id), label: name })),
      ],
    })}${button({ label: "Add" })}`,
  });
}

const listForms: Forms<ListsContext> = {
  add: async (context) => {
    const list = context.form.id("list");
    if (list === null) throw new FormRefused({ fields: { list: "Choose a list." } });
    const name = await nameOf(context, list);
    const of = { id: context.params.subscriber };
    const { isPending } = await context.performHere(addSubscriber, { ...of, list, values: [] });
    return redirect(
      context.path,
      isPending
        ? `The person is already on the list ${quoted(name)}, but has not confirmed it yet.`
        : `Added to the list ${quoted(name)}.`,
    );
  },
  remove: async (context) => {
    const list = context.form.id("removedList") ?? 0;
    const name = await nameOf(context, list);
    await context.performHere(removeSubscriber, { id: context.params.subscriber, list });
    return redirect(context.path, `Removed from the list ${quoted(name)}.`);
  },
};

async function nameOf(context: ListsContext, list: number): Promise<string> {
  const { name } = await context.performHere(findList, { id: list });
  return name;
}

// Whether a subscriber gets mail and, if not, the causes in plain sentences.

/** `record.history`: the newest first. */
function whyPart(context: PageContext, record: SubscriberRecord, names: Names): Html {
  const causes = causesOf(record.suppressions, record.history);
  if (causes.length === 0) return whereMailed(context, record);
  const links = objectLinks(context);
  const sentences = causes.map(({ kind, since, entry }) => {
    if (entry === null) return html`${personTexts.causeUnknown(kind)}, since ${context.formats.time(since)}.`;
    const { sentence, source } = describeEntry(entry, names, links);
    return html`${sentence} <span class="hint">${context.formats.time(since)}${source === null ? null : html` · ${source}`}</span>`;
  });
  return notice(
    causes.some(({ kind }) => kind === "blocked" || kind === "complained") ? "warning" : "info",
    "Gets no mail",
    html`${paragraphOrList(sentences)}${record.lists.length === 0 ? null : html`<p>The memberships are suspended until the person is active again.</p>`}`,
  );
}

const paragraphOrList = (sentences: readonly Html[]): Html =>
  sentences.length === 1
    ? html`<p>${sentences}</p>`
    : html`<ul>${sentences.map((one) => html`<li>${one}</li>`)}</ul>`;

function whereMailed({ formats }: PageContext, { lists }: SubscriberRecord): Html {
  const counted = lists.filter(({ counts }) => counts).length;
  if (counted > 0)
    return notice(
      "good",
      `Gets mail: ${counted === 1 ? "on one list" : `on ${formats.number(counted)} lists`}`,
    );
  return lists.length === 0
    ? notice("info", "Gets no mail: on no list", "Add the person to a list below to send them mail.")
    : notice("info", "Gets no mail yet", "The person has not confirmed the subscription.");
}

/** What a subscriber did after campaigns. */
const PAGE_ROWS = 50;

function resultsTable(context: PageContext, rows: readonly CampaignResult[]): Html {
  const links = objectLinks(context);
  return table({
    caption: personTexts.results,
    rows,
    href: ({ campaign }) => links.campaign(campaign),
    columns: [
      { label: "Campaign", cell: ({ name }) => name },
      { label: "Result", cell: ({ event }) => events[event] },
      { label: "When", cell: ({ at }) => context.formats.time(at) },
    ],
  });
}

/** The campaigns that Mailroll sent to a subscriber, or did not send, and why. */
function campaignsTable(context: PageContext, rows: readonly SentCampaign[]): Html {
  const links = objectLinks(context);
  return table({
    caption: personTexts.campaigns,
    rows,
    href: ({ campaign }) => links.campaign(campaign),
    columns: [
      {
        label: "Campaign",
        cell: ({ name }) => name,
        detail: ({ skipped, reply }) => (skipped === null ? reply : skipReasons[skipped]),
        isTyped: true,
      },
      { label: "State", cell: (row) => recipientBadge(row, row.campaignState) },
      { label: "When", cell: ({ at }) => context.formats.time(at) },
    ],
  });
}

const resultsPage = page({
  path: RESULTS,
  show: async (context) => {
    const of = { id: context.params.subscriber };
    const { rows, next, previous } = await context.list(listCampaignResults, { ...of, limit: PAGE_ROWS });
    const { record, campaigns, hasMoreCampaigns } = await context.performHere(showSubscriber, of);
    const parent = { label: record.address, href: objectLinks(context).subscriber(of.id) };
    return titled(
      { title: personTexts.campaigns, parent },
      html`${
        campaigns.length === 0
          ? null
          : section("Sent by Mailroll", campaignsTable(context, campaigns), {
              description: hasMoreCampaigns
                ? "The latest ones. “Download everything” has all."
                : "The newest first.",
            })
      }
${section(
  personTexts.results,
  rows.length === 0
    ? html`<p>There are none.</p>`
    : html`${resultsTable(context, rows)}
${pager({
  text: "",
  ...neighbours(context.path, { previous, next }),
})}`,
  { description: "Unsubscribes, bounces and complaints after campaigns." },
)}`,
    );
  },
});

// `/console/{account}/subscribers/{subscriber}`: one person, why they get mail or not, and what happened.

/** All of it is on the page of the history. */
const SHOWN_ENTRIES = 10;
const SHOWN_RESULTS = 5;

type Here = PageContext<typeof PERSON>;

const personPage = page({
  path: PERSON,
  show: async (context) => {
    const of = { id: context.params.subscriber };
    const { record, names, campaigns } = await context.performHere(showSubscriber, of);
    const here = objectLinks(context).subscriber(record.id);
    const name = `${record.data.firstName} ${record.data.lastName}`.trim();
    return titled(
      {
        title: record.address,
        parent: { label: "Subscribers", href: context.link("/subscribers") },
        aside: stateBadge(record.state),
        description: name === "" ? null : name,
        actions: actions(context, record, here),
      },
      html`<div class="stack">
${whyPart(context, record, names)}
<div class="columns">
<div class="stack">
${card(html`<h2>Data</h2>${await dataPart(context, record)}`)}
${card(html`<h2>Lists</h2>${await listsPart(context, record)}`)}
</div>
<div class="stack">
${fewOf(personTexts.campaigns, campaigns, `${here}/campaigns`, (rows) => campaignsTable(context, rows))}
${fewOf(personTexts.results, record.losses, `${here}/campaigns`, (rows) => resultsTable(context, rows))}
${card(
  html`<h2>History</h2>${historyTimeline(context, record.history.slice(0, SHOWN_ENTRIES), names)}${
    record.history.length <= SHOWN_ENTRIES ? null : html`<p><a href="${here}/history">Full history</a></p>`
  }`,
)}
</div>
</div>
</div>`,
    );
  },
  forms: listForms,
});

function fewOf<Row>(
  title: string,
  rows: readonly Row[],
  href: string,
  shown: (rows: readonly Row[]) => Html,
): Html | null {
  if (rows.length === 0) return null;
  const more =
    rows.length > SHOWN_RESULTS ? html`<p><a href="${href}">All ${title.toLowerCase()}</a></p>` : null;
  return card(html`<h2>${title}</h2>${shown(rows.slice(0, SHOWN_RESULTS))}${more}`);
}

function actions({ may }: Here, { suppressions }: SubscriberRecord, here: string): readonly Html[] {
  const canReactivate = clearable.some((kind) => suppressions[kind] !== null);
  const more = [
    ...(may("editor") && suppressions.unsubscribed === null
      ? [{ label: "Unsubscribe…", href: `${here}/unsubscribe` }]
      : []),
    ...(may("editor") && canReactivate ? [{ label: "Reactivate…", href: `${here}/reactivate` }] : []),
    { label: "Download everything", href: `${here}/download` },
    ...(may("owner") ? [{ label: "Erase…", href: `${here}/erase`, isDanger: true }] : []),
  ];
  return [
    ...(may("editor") ? [buttonLink({ label: "Edit", href: `${here}/edit`, icon: "edit" })] : []),
    menu("More", more),
  ];
}

async function dataPart(context: Here, { data, values, knownSince }: SubscriberRecord): Promise<Html> {
  const { formats } = context;
  const fields = await allRows(context, listFields);
  const typeOf = new Map(fields.map(({ id, type }) => [id, type]));
  return definitions([
    [basics.firstName, data.firstName],
    [basics.lastName, data.lastName],
    [basics.gender, shownValue("GENDER", data.gender ?? "", formats)],
    [basics.birthday, shownValue("DATE", data.birthday ?? "", formats)],
    [basics.country, shownValue("COUNTRY", data.country ?? "", formats)],
    ...values.map(
      ({ field, name, value }) => [name, shownValue(typeOf.get(field) ?? "STRING", value, formats)] as const,
    ),
    ["Subscriber since", formats.time(knownSince)],
  ]);
}

const downloadPage = page({
  path: DOWNLOAD,
  show: async (context) => {
    const id = context.params.subscriber;
    const found = await context.performHere(exportSubscriber, { id });
    return download({
      // Names of files are seen by others: not the address.
      fileName: `subscriber-${id}.json`,
      contentType: "application/json; charset=utf-8",
      chunks: once(`${JSON.stringify(toPerson(found), null, 2)}\n`),
    });
  },
});

async function* once(text: string): AsyncIterable<string> {
  yield text;
}

export const personPages = [personPage, resultsPage, downloadPage];
