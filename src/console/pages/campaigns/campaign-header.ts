/** The top of the pages of one campaign: its name, what can be done with it, and its parts as tabs. */

import type { CountedEvents, CountedWithSending } from "#admin/campaigns/campaigns.ts";
import type { Campaign, CampaignEvent } from "#domain/campaign.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { textField } from "#html/components/fields.ts";
import { menu } from "#html/components/menu.ts";
import { pageHeader, tabs } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import { type Form, type FormState, localTime, readLocalTime } from "../../kit/form.ts";
import type { Formats } from "../../kit/formats.ts";
import type { PageContext } from "../../kit/page.ts";
import { sinceText, stateBadge, writtenBadge } from "./state.ts";

/** In the order in which they are shown. */
export const eventTexts = {
  unsubscribed: {
    title: "Unsubscribed",
    path: "unsubscribed",
    description: "People who unsubscribed because of this campaign, the first one first.",
    nobody: "Nobody has unsubscribed because of this campaign.",
    at: "Unsubscribed",
  },
  bounced: {
    title: "Bounced",
    path: "bounced",
    description: "People whose mail server permanently rejected the campaign, the first one first.",
    nobody: "No mail of this campaign has bounced.",
    at: "Bounced",
  },
  complained: {
    title: "Complained",
    path: "complained",
    description: "People who reported the campaign as spam, the first one first.",
    nobody: "Nobody has reported this campaign as spam.",
    at: "Complained",
  },
} as const satisfies Record<CampaignEvent, object>;

/** The fields for when a campaign was created and sent, as the user's clock shows it. */
type Times = Pick<Campaign, "createdAt" | "sentAt">;

export function timeFields(form: FormState, { timeZone }: Formats, stored: Times | null): Html {
  const shown = (at: number | null | undefined): string => (at == null ? "" : localTime(at, timeZone));
  return html`${textField({
    ...form.field("sentAt", shown(stored?.sentAt)),
    label: "Sent at",
    type: "datetime-local",
    hint: `In ${timeZone.replaceAll("_", " ")}. Leave it empty if the campaign is not sent yet.`,
    width: "medium",
    isOptional: true,
  })}${textField({
    ...form.field("createdAt", shown(stored?.createdAt)),
    label: "Created at",
    type: "datetime-local",
    hint: stored === null ? "If empty: the time it was sent, or now." : null,
    width: "medium",
    isOptional: stored === null,
  })}`;
}

/** What was typed; null: nothing. A time that was left as it is shown keeps its seconds. */
export function readTimes(form: Form, { timeZone }: Formats, stored: Times | null) {
  const read = (name: keyof Times): number | null => {
    const text = form.text(name).trim();
    if (text === "") return null;
    const before = stored?.[name] ?? null;
    if (before !== null && localTime(before, timeZone) === text) return before;
    const at = readLocalTime(text, timeZone);
    if (at === null)
      throw new FormRefused({ fields: { [name]: "Enter a date and a time, such as 2026-11-01 09:30." } });
    return at;
  };
  return { createdAt: read("createdAt"), sentAt: read("sentAt") };
}

type CampaignContext = PageContext<"/{account}/campaigns/{campaign}">;

export const eventKinds = Object.keys(eventTexts) as readonly CampaignEvent[];

/** An event of a campaign, counted up to a bound; `hasMore`: there are more. */
interface Counted {
  readonly count: number;
  readonly hasMore: boolean;
}
export const countsOf = ({ events, hasMoreEvents }: CountedEvents) =>
  Object.fromEntries(
    eventKinds.map((kind) => [kind, { count: events[kind], hasMore: hasMoreEvents[kind] }]),
  ) as Readonly<Record<CampaignEvent, Counted>>;
/** All kinds together. */
export function totalOf({ events, hasMoreEvents }: CountedEvents): Counted {
  const count = eventKinds.reduce((sum, kind) => sum + events[kind], 0);
  return { count, hasMore: eventKinds.some((kind) => hasMoreEvents[kind]) };
}
export const countOf = ({ formats }: Pick<PageContext, "formats">, { count, hasMore }: Counted): string =>
  hasMore ? `more than ${formats.number(count)}` : formats.number(count);

export const ofCampaign = ({ params }: Pick<CampaignContext, "account" | "params">) => ({
  campaign: params.campaign,
});
export const addressOf = ({ link }: Pick<PageContext, "link">, id: number): string =>
  link(`/campaigns/${id}`);

/** Of one campaign; the results are its first tab. */
type CampaignTab = CampaignEvent | "recipients" | null;

/** `current`: null for the results. `actions`: instead of the actions of a recorded one. */
export function campaignHeader(
  context: Pick<CampaignContext, "link" | "may" | "formats" | "now">,
  campaign: CountedWithSending,
  current: CampaignTab,
  actions: readonly Html[] = campaign.sending === null ? recordedActions(context, campaign) : [],
): Html {
  const { link } = context;
  const { id, name, sending } = campaign;
  const own = addressOf(context, id);
  const counts = countsOf(campaign);
  const header = pageHeader({
    title: name,
    parent: { label: "Campaigns", href: link("/campaigns") },
    ...stateOf(context, campaign),
    actions,
  });
  // A draft has no recipients.
  if (sending?.state === "draft") return header;
  const recipients = {
    label: "Recipients",
    href: `${own}/recipients`,
    isCurrent: current === "recipients",
  };
  return html`${header}
${tabs("Parts of the campaign", [
  { label: sending === null ? "Results" : "Progress", href: own, isCurrent: current === null },
  ...(sending === null ? [] : [{ ...recipients, count: context.formats.number(sending.selected) }]),
  ...eventKinds.map((kind) => ({
    label: eventTexts[kind].title,
    href: `${own}/${eventTexts[kind].path}`,
    isCurrent: current === kind,
    count: tabCount(context, counts[kind]),
  })),
])}`;
}

function stateOf({ formats }: Pick<CampaignContext, "formats">, campaign: CountedWithSending) {
  const { createdAt, sentAt, sending, isWrittenToFiles } = campaign;
  if (sending !== null)
    return {
      aside: html`${stateBadge(sending)}${isWrittenToFiles ? html` ${writtenBadge}` : null}`,
      description: sinceText(sending, createdAt, formats),
    };
  return sentAt === null
    ? { aside: badge("Not sent"), description: `Created on ${formats.dateTime(createdAt)}` }
    : { aside: null, description: `Sent on ${formats.dateTime(sentAt)}` };
}

function recordedActions(context: Pick<CampaignContext, "link" | "may">, { id }: Campaign): readonly Html[] {
  const own = addressOf(context, id);
  const { may } = context;
  return [
    ...(may("editor") ? [buttonLink({ label: "Change", href: `${own}/change`, icon: "edit" })] : []),
    ...(may("owner") ? [menu("More", [{ label: "Delete", href: `${own}/deletion`, isDanger: true }])] : []),
  ];
}

const tabCount = ({ formats }: Pick<PageContext, "formats">, { count, hasMore }: Counted): string =>
  `${formats.number(count)}${hasMore ? "+" : ""}`;
