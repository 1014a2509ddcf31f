/** `/console/{account}/campaigns`: all campaigns, the newest first, with what came of each. */

import {
  briefCampaign,
  deleteCampaign,
  recordCampaign,
  setCampaign,
  showCampaignToDelete,
} from "#admin/campaigns/campaigns.ts";
import type { Sending, WithSending } from "#admin/campaigns/progress.ts";
import { campaignTotals } from "#admin/campaigns/results.ts";
import { listLists } from "#admin/lists.ts";
import { type CampaignEvent, type CampaignTotals, MAX_COUNTED } from "#domain/campaign.ts";
import type { List, ListId } from "#domain/list.ts";
import { versionOf } from "#domain/version.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { checkboxGroup, textField } from "#html/components/fields.ts";
import { menu } from "#html/components/menu.ts";
import type { Column } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { FormRefused } from "../../kit/errors.ts";
import type { Form, FormState } from "../../kit/form.ts";
import { confirmPage, formPage } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { allRows, isEmpty, MAX_ROWS, pagedTable } from "../../kit/listing.ts";
import { type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { redirectAfter } from "../jobs/job-progress.ts";
import {
  addressOf,
  countOf,
  countsOf,
  eventKinds,
  eventTexts,
  ofCampaign,
  readTimes,
  timeFields,
  totalOf,
} from "./campaign-header.ts";
import { sendingBadge } from "./state.ts";

const name = "Name";
export const campaignsTexts = {
  title: "Campaigns",
  record: "Record a campaign",
};

const PAGE = 25;

const campaignsPage = page({
  path: "/{account}/campaigns",
  show: async (context) => {
    const { formats, may, link, path } = context;
    const found = await context.list(campaignTotals, { limit: PAGE });
    const counted = (label: string, event: CampaignEvent): Column<WithSending<CampaignTotals>> => ({
      label,
      cell: ({ [event]: count }) =>
        count < MAX_COUNTED ? formats.number(count) : `${formats.number(count)} or more`,
      isNumber: true,
    });
    const compose = {
      label: "New campaign",
      href: link("/campaigns/new"),
      emphasis: "primary",
      icon: "plus",
    } as const;
    const record = { label: campaignsTexts.record, href: link("/campaigns/record") };
    const body = pagedTable({ path }, found, {
      caption: campaignsTexts.title,
      href: ({ id }) => link(`/campaigns/${id}`),
      columns: [
        { label: "Campaign", cell: ({ name }) => name },
        { label: "State", cell: (row) => stateOf(row, context) },
        { label: "When", cell: (row) => whenOf(row, formats) },
        { label: "Sent", cell: ({ sending }) => sentOf(sending, formats), isNumber: true },
        counted("Unsubscribed", "unsubscribed"),
        counted("Bounced", "bounced"),
        counted("Complained", "complained"),
      ],
      text: (count) => formats.count(count, "campaign"),
      empty: {
        title: "No campaign yet",
        text: may("editor")
          ? "Compose a campaign, and Mailroll sends it to your lists. If another tool sends it, record it here: then its unsubscribes, bounces and complaints are counted, too."
          : "When an editor composes or records a campaign, its progress, unsubscribes, bounces and complaints appear here.",
        icon: "campaigns",
        actions: may("editor") ? [buttonLink(compose), buttonLink(record)] : [],
      },
    });
    return titled(
      {
        title: campaignsTexts.title,
        description: "What goes to your lists, and who unsubscribed, bounced or complained.",
        actions: isEmpty(found) || !may("editor") ? [] : [buttonLink(compose), menu("More", [record])],
      },
      body,
    );
  },
});

function stateOf(
  { sending, sentAt }: WithSending<CampaignTotals>,
  { formats }: Pick<PageContext, "formats">,
): Html {
  if (sending !== null) return sendingBadge(sending, formats);
  return badge(sentAt === null ? "Not sent" : "Recorded");
}

function whenOf({ sending, sentAt }: WithSending<CampaignTotals>, formats: Formats): Html | string {
  const { state = null, scheduledAt = null } = sending ?? {};
  if (state === "scheduled" && scheduledAt !== null) return html`Starts ${formats.time(scheduledAt)}`;
  return sentAt === null ? "–" : formats.time(sentAt);
}

/** Nothing is known of a campaign that another tool sends. */
const sentOf = (sending: Sending | null, { number }: Formats): string =>
  sending === null || sending.startedAt === null
    ? "–"
    : `${number(sending.counts.sent)} of ${number(sending.selected)}`;

/** The choice of lists in a form: boxes for the first thousand, and ids for the others. */
interface ListChoice {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly stored: readonly ListId[];
  readonly isOptional?: boolean;
}

const furtherOf = (name: string): string => `further${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** `rows`: as `allRows` returns them. */
export function listChoice(
  form: FormState,
  rows: readonly List[],
  { formats }: { readonly formats: Formats },
  { name, stored, ...field }: ListChoice,
): Html {
  const further = furtherOf(name);
  const others = stored.filter((id) => !rows.some((row) => row.id === id));
  return html`${checkboxGroup({
    ...{ ...field, name, error: form.problem(name) },
    values: form.values(name, stored.map(String)),
    options: rows.map((row) => ({
      value: String(row.id),
      label: row.name,
      hint: `${formats.number(row.members)} active`,
    })),
  })}${
    rows.length < MAX_ROWS
      ? null
      : textField({
          ...form.field(further, others.join(", ")),
          label: "Ids of further lists",
          hint: `The account has more lists than the ${formats.number(rows.length)} above. Separate ids with commas.`,
          isOptional: true,
        })
  }`;
}

/** Throws FormRefused. */
export function chosenLists(form: Form, name: string): readonly ListId[] {
  const read = (text: string, field: string): ListId => {
    const id = /^\d{1,15}$/.test(text) ? Number(text) : null;
    if (id === null)
      throw new FormRefused({ fields: { [field]: `${quoted(text)} is not the id of a list.` } });
    return id;
  };
  const given = (all: readonly string[]): readonly string[] =>
    all.map((one) => one.trim()).filter((one) => one !== "");
  const further = furtherOf(name);
  return [
    ...given(form.texts(name)).map((text) => read(text, name)),
    ...given(form.text(further).split(",")).map((text) => read(text, further)),
  ];
}

/** `/console/{account}/campaigns/record`: records a campaign that another tool sends. */
const recordCampaignPage = formPage({
  path: "/{account}/campaigns/record",
  role: "editor",
  form: "record",
  show: async (context, form) => {
    const { formats, link } = context;
    const header = {
      title: campaignsTexts.record,
      parent: { label: campaignsTexts.title, href: link("/campaigns") },
      description: "For a campaign that another tool has sent or will send. Mailroll does not send it.",
    };
    const rows = await allRows(context, listLists);
    if (rows.length === 0)
      return titled(
        header,
        emptyState({
          title: "Create a list first",
          text: "A campaign goes to lists, and this account has none yet.",
          icon: "lists",
          actions: [buttonLink({ label: "Go to the lists", href: link("/lists"), emphasis: "primary" })],
        }),
      );
    return {
      ...header,
      isIdempotent: true,
      fields: html`${textField({
        ...form.field("name"),
        label: name,
        placeholder: "e.g. Spring offers",
      })}${listChoice(form, rows, context, {
        name: "lists",
        label: "Lists",
        hint: "The lists that the campaign is sent to, with the names they have now.",
        stored: [],
      })}${timeFields(form, formats, null)}`,
      save: "Record",
    };
  },
  submit: async ({ performHere, form, formats, link }) => {
    const recorded = await performHere(recordCampaign, {
      name: form.text("name"),
      lists: chosenLists(form, "lists"),
      ...readTimes(form, formats, null),
    });
    return redirect(link(`/campaigns/${recorded.id}`), `The campaign ${quoted(recorded.name)} is recorded.`);
  },
});

/** `/console/{account}/campaigns/{campaign}/change`: corrects the name or the times of a campaign. */
const changeCampaignPage = formPage({
  path: "/{account}/campaigns/{campaign}/change",
  role: "editor",
  form: "change",
  show: async (context, form) => {
    const found = await context.performHere(briefCampaign, ofCampaign(context));
    return {
      title: `Change ${quoted(found.name)}`,
      parent: { label: found.name, href: addressOf(context, found.id) },
      version: versionOf("campaign", found),
      fields: html`${textField({ ...form.field("name", found.name), label: name, hasFocus: true })}${
        found.sending === null ? timeFields(form, context.formats, found) : null
      }`,
      save: "Save",
    };
  },
  submit: async (context) => {
    const { performHere, form, formats } = context;
    const of = ofCampaign(context);
    const before = await performHere(briefCampaign, of);
    // A campaign that is composed here shows the times of its sending.
    const { createdAt, sentAt } = before.sending === null ? readTimes(form, formats, before) : before;
    const changed = await performHere(setCampaign, {
      ...of,
      name: form.text("name"),
      createdAt: createdAt ?? undefined,
      sentAt,
    });
    return redirect(addressOf(context, changed.id), "The campaign is changed.");
  },
});

function affectedBy(results: number, hasMore: boolean, { count, number }: Formats): string {
  if (hasMore) return `More than ${number(results)} results are deleted.`;
  return results === 0 ? "It has no results." : `${count(results, "result is", "results are")} deleted.`;
}

/** `/console/{account}/campaigns/{campaign}/deletion`: says what goes and what stays, then deletes. */
const campaignDeletionPage = confirmPage({
  path: "/{account}/campaigns/{campaign}/deletion",
  role: "owner",
  form: "delete",
  show: async (context) => {
    const found = await context.performHere(showCampaignToDelete, ofCampaign(context));
    const byKind = countsOf(found);
    const { count, hasMore } = totalOf(found);
    const counts = eventKinds.map(
      (kind) => `${countOf(context, byKind[kind])} ${eventTexts[kind].title.toLowerCase()}`,
    );
    return {
      title: `Delete ${quoted(found.name)}`,
      parent: { label: found.name, href: addressOf(context, found.id) },
      question: "Delete this campaign and its results?",
      affected: affectedBy(count, hasMore, context.formats),
      consequences: [
        `The campaign and its results are deleted: ${counts.join(", ")}.`,
        "No subscriber changes. People who unsubscribed, bounced or complained stay suppressed, with their history.",
        "This cannot be undone.",
      ],
      isDangerous: true,
      version: versionOf("campaign", found),
      confirm: "Delete the campaign",
    };
  },
  submit: async (context) => {
    const { campaign, job } = await context.performHere(deleteCampaign, ofCampaign(context));
    const done = `The campaign ${quoted(campaign.name)} is deleted.`;
    return redirectAfter(context, job, context.link("/campaigns"), { done, begun: done });
  },
});

export const recordedPages = [campaignsPage, recordCampaignPage, changeCampaignPage, campaignDeletionPage];
