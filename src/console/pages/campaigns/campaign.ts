/** `/console/{account}/campaigns/{campaign}`: what came of one campaign, in numbers and per day. */

import { showCampaign } from "#admin/campaigns/campaigns.ts";
import { showContent } from "#admin/campaigns/compose.ts";
import { previewRetry } from "#admin/campaigns/ledger.ts";
import { type CampaignDay, eventsPerDay } from "#admin/campaigns/results.ts";
import { pauseCampaign, type Sending, unscheduleCampaign } from "#admin/campaigns/send.ts";
import { listLists } from "#admin/lists.ts";
import { showSender } from "#admin/senders/senders.ts";
import { dateOf } from "#domain/calendar.ts";
import { type CampaignEvent, MAX_EVENTS } from "#domain/campaign.ts";
import {
  type CampaignContent,
  hasEnded,
  isDeletable,
  isEditable,
  mayCancel,
  mayChange,
  mayRetry,
} from "#domain/sending/mailing.ts";
import { retriedStates } from "#domain/sending/recipient.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { stackedChart } from "#html/components/charts.ts";
import { emptyState } from "#html/components/feedback.ts";
import { definitions, stats } from "#html/components/figures.ts";
import { type MenuLink, menu } from "#html/components/menu.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { goneAsNull } from "../../kit/errors.ts";
import { doing } from "../../kit/form.ts";
import { allRows, withQuery } from "../../kit/listing.ts";
import { linkTo } from "../../kit/object-links.ts";
import { content, type PageContext, page, redirect } from "../../kit/page.ts";
import { nameOf } from "../senders/senders.ts";
import { filterChoices, filterWords } from "../subscribers/conditions.ts";
import {
  addressOf,
  campaignHeader,
  countOf,
  countsOf,
  eventKinds,
  eventTexts,
  ofCampaign,
  totalOf,
} from "./campaign-header.ts";
import { paused as pausedText, recipients, unscheduled as unscheduledText } from "./change-state.ts";
import { sendingPart } from "./progress.ts";

/** What can be done with a composed campaign in its state, and what it says to whom. */
type ComposedContext = PageContext<"/{account}/campaigns/{campaign}">;

/** A step that needs no question: it can be taken back. */
const step = (form: string, label: string): Html =>
  html`<form method="post">${doing(form)}${button({ label })}</form>`;

/** Of the ledger, about 10,000 recipients each: a page of a larger campaign does not wait for the number. */
const COUNTED_PAGES = 5;

/** Offered for those who may still get it; without their number if it is not known soon enough. */
async function retryItems(context: ComposedContext, sending: Sending): Promise<readonly MenuLink[]> {
  if (!context.may("owner") || !mayRetry(sending)) return [];
  const items: MenuLink[] = [];
  for (const state of retriedStates) {
    if (sending.counts[state] === 0) continue;
    const { count, isMore } = await context.performHere(previewRetry, {
      ...{ ...ofCampaign(context), states: [state], mostPages: COUNTED_PAGES },
    });
    if (count === 0 && !isMore) continue;
    const whom = isMore ? `${state} recipients` : recipients(context.formats.number(count), state);
    items.push({
      label: `Retry ${whom}`,
      href: `${addressOf(context, sending.campaign)}/retry?state=${state}`,
    });
  }
  return items;
}

/** The most important first; the rest is in the menu. */
async function sendingActions(context: ComposedContext, sending: Sending): Promise<readonly Html[]> {
  const { may } = context;
  const { state } = sending;
  const own = addressOf(context, sending.campaign);
  const [isEditor, isOwner, isDraft] = [may("editor"), may("owner"), isEditable(state)];
  const link = (label: string, page: string, isPrimary = false): Html =>
    buttonLink({ label, href: `${own}/${page}`, ...(isPrimary ? { emphasis: "primary" } : {}) });
  const only = <Shown>(isShown: boolean, shown: () => Shown): readonly Shown[] => (isShown ? [shown()] : []);
  const items: readonly MenuLink[] = [
    ...only(isEditor && !isDraft, () => ({ label: "Preview", href: `${own}/preview` })),
    ...only(isEditor && (isDraft || state === "scheduled"), () => ({
      label: "Dry run",
      href: `${own}/dry-run`,
    })),
    ...only(isEditor && !hasEnded(state), () => ({ label: "Duplicate", href: `${own}/duplicate` })),
    ...(await retryItems(context, sending)),
    ...only(sending.selected > 0, () => ({ label: "Verify the numbers", href: `${own}/verify` })),
    ...only(isEditor && !isDraft, () => ({ label: "Rename", href: `${own}/change` })),
    ...only(isOwner && mayCancel(sending), () => ({
      ...{ label: "Cancel the campaign", href: `${own}/cancel`, isDanger: true },
    })),
    ...only(isOwner && isDeletable(state) && (isDraft || hasEnded(state)), () => ({
      ...{ label: "Delete", href: `${own}/deletion`, isDanger: true },
    })),
  ];
  return [
    ...only(isEditor && isDraft, () => link("Edit", "edit")),
    ...only(isEditor && isDraft, () => link("Preview", "preview")),
    ...only(isEditor && isDraft, () => link(isOwner ? "Check and send" : "Check", "send", true)),
    ...only(isOwner && state === "scheduled", () => link("Change the time", "send")),
    ...only(isEditor && mayChange("unschedule", state), () => step("unschedule", "Unschedule")),
    ...only(isEditor && mayChange("pause", state), () => step("pause", "Pause")),
    ...only(isOwner && mayChange("resume", state), () => link("Resume", "resume", true)),
    ...only(isEditor && hasEnded(state), () => link("Duplicate", "duplicate")),
    ...only(items.length > 0, () => menu("More", items)),
  ];
}

function writtenAs({ html: own, markdown, text, layout }: CampaignContent): string | null {
  if (own !== null) return "HTML";
  if (markdown !== null) return `Markdown, layout ${layout ?? "plain"}`;
  return text === null ? null : "Plain text";
}

async function contentPart(context: ComposedContext): Promise<Html> {
  const { performHere, link } = context;
  const { content } = await performHere(showContent, ofCampaign(context));
  const all = await allRows(context, listLists);
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const listLinks = (ids: readonly number[], none: string | null): Insert =>
    ids.length === 0
      ? none
      : html`${ids.map((id, at) => html`${at === 0 ? "" : ", "}<a href="${link(`/lists/${id}`)}">${names.get(id) ?? id}</a>`)}`;
  return section(
    "Content",
    definitions([
      ["From", await senderOf(context, content)],
      ["Lists", listLinks(content.lists, null)],
      ["Excluded lists", listLinks(content.excludedLists, "none")],
      [
        "Filter",
        content.filter.length === 0
          ? null
          : filterWords(content.filter, await filterChoices(context, content.filter)),
      ],
      ["Subject", content.subject],
      ["Preheader", content.preheader],
      ["Message", writtenAs(content)],
    ]),
  );
}

async function senderOf(
  { performHere, link }: ComposedContext,
  { sender: id }: CampaignContent,
): Promise<Insert> {
  if (id === null) return null;
  const found = await performHere(showSender, { id }).catch(goneAsNull);
  return found === null ? "deleted" : linkTo(link(`/settings/senders/${id}`), nameOf(found.sender));
}

const PATH = "/{account}/campaigns/{campaign}";
type CampaignContext = PageContext<typeof PATH>;
type ShownCampaign = Awaited<ReturnType<typeof showCampaign.run>>;

const looks = { unsubscribed: "in", bounced: "mid", complained: "out" } as const satisfies Record<
  CampaignEvent,
  string
>;

export const campaignPage = page({
  path: PATH,
  show: async (context) => {
    const found = await context.performHere(showCampaign, ofCampaign(context));
    if (found.sending === null)
      return content(
        found.name,
        html`${campaignHeader(context, found, null)}
${await resultsOf(context, found)}
${listsOf(context, found, "The lists have the names from when the campaign was recorded.")}`,
      );
    const { sending } = found;
    const hasResults = totalOf(found).count > 0;
    return content(
      found.name,
      html`${campaignHeader(context, found, null, await sendingActions(context, sending))}
${sending.state === "draft" ? null : sendingPart({ ...context, isWritten: found.isWrittenToFiles }, sending)}
${hasResults ? section("Results", await resultsOf(context, found)) : null}
${await contentPart(context)}
${found.lists.length === 0 ? null : listsOf(context, found, "The lists have the names from when the campaign was started.")}`,
    );
  },
  forms: {
    pause: async (context) => {
      await context.performHere(pauseCampaign, ofCampaign(context));
      return redirect(context.path, pausedText);
    },
    unschedule: async (context) => {
      await context.performHere(unscheduleCampaign, ofCampaign(context));
      return redirect(context.path, unscheduledText);
    },
  },
});

async function resultsOf(context: CampaignContext, found: ShownCampaign): Promise<Html> {
  const { performHere, query, now } = context;
  if (totalOf(found).count === 0)
    return emptyState({
      title: "No results yet",
      text: "Unsubscribes, hard bounces and complaints appear here when an unsubscribe link is used, or when the webhook of the sender or a program reports them.",
      icon: "check",
    });
  const hasAllDays = query.get("days") === "all";
  const days = await performHere(eventsPerDay, {
    ...ofCampaign(context),
    from: null,
    to: hasAllDays ? dateOf(now) : null,
  });
  const counts = countsOf(found);
  const numbers = eventKinds.map((kind) => ({
    label: eventTexts[kind].title,
    value: countOf(context, counts[kind]),
    href: `${addressOf(context, found.id)}/${eventTexts[kind].path}`,
  }));
  return html`<div class="stack">
${stats(numbers)}
${chartOf(context, days)}
${belowChart(context, found, days, hasAllDays)}
</div>`;
}

/** From then on, the same day of two years may be in a chart. */
const LONG = 365;

const chartOf = ({ formats }: CampaignContext, days: readonly CampaignDay[]): Html =>
  stackedChart({
    title: "Results per day",
    locale: formats.locale,
    labelName: "Day",
    series: eventKinds.map((kind) => ({ name: eventTexts[kind].title, look: looks[kind] })),
    days: days.map(({ date, events }) => ({
      label: days.length > LONG ? formats.day(date) : formats.shortDay(date),
      values: eventKinds.map((kind) => events[kind]),
    })),
  });

/** What is not in the chart: results of other days, and results that are not counted. */
function belowChart(
  { formats, path }: CampaignContext,
  found: ShownCampaign,
  days: readonly CampaignDay[],
  hasAllDays: boolean,
): Html | null {
  const shown = days.reduce(
    (sum, { events }) => sum + eventKinds.reduce((all, kind) => all + events[kind], 0),
    0,
  );
  const { count, hasMore } = totalOf(found);
  const cut = days.find(({ isComplete }) => !isComplete);
  const notes = [
    ...(cut === undefined
      ? []
      : [
          `Per day, the first ${formats.number(MAX_EVENTS)} results of each kind are counted: from ${formats.day(cut.date)} on, there may be more than is shown.`,
        ]),
    // How many are of other days is known only if all are counted.
    ...(hasMore || count <= shown
      ? []
      : [
          `${formats.count(count - shown, "more result is of another day", "more results are of other days")}.`,
        ]),
  ];
  if (notes.length === 0 && !hasMore && !hasAllDays) return null;
  const other = hasAllDays
    ? html`<a href="${path}">Show the first 30 days</a>`
    : html`<a href="${withQuery(path, { days: "all" })}">Show all days</a>`;
  return html`<p class="description">${notes.join(" ")} ${other}</p>`;
}

function listsOf({ formats, link }: CampaignContext, { lists }: ShownCampaign, description: string): Html {
  const body =
    lists.length === 0
      ? html`<p>No list is recorded.</p>`
      : table({
          caption: "Sent to",
          rows: lists,
          columns: [
            {
              label: "List",
              cell: ({ id, name, isDeleted }) =>
                isDeleted
                  ? html`${name} ${badge("deleted")}`
                  : html`<a href="${link(`/lists/${id}`)}">${name}</a>`,
            },
            {
              label: "Active subscribers now",
              cell: ({ members, isDeleted }) => (isDeleted ? "–" : formats.number(members)),
              isNumber: true,
            },
          ],
        });
  return section("Sent to", body, { description });
}
