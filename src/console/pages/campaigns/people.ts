/**
 * `/console/{account}/campaigns/{campaign}/unsubscribed`, `…/bounced` and `…/complained`: the people behind a
 * number. `…/clear-bounces`: subscribers who bounced are active again.
 */
import {
  briefCampaign,
  clearBounces,
  countCampaign,
  previewClearBounces,
} from "#admin/campaigns/campaigns.ts";
import { listEvents } from "#admin/campaigns/events.ts";
import type { CampaignEvent } from "#domain/campaign.ts";
import { buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { html } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import { readLocalTime } from "../../kit/form.ts";
import { confirmPage } from "../../kit/form-html.ts";
import { isEmpty, pagedTable } from "../../kit/listing.ts";
import { type AnyPage, content, page, titled } from "../../kit/page.ts";
import { redirectAfter } from "../jobs/job-progress.ts";
import {
  addressOf,
  campaignHeader,
  countOf,
  countsOf,
  eventKinds,
  eventTexts,
  ofCampaign,
} from "./campaign-header.ts";

const PAGE = 50;

const peoplePage = (event: CampaignEvent): AnyPage => {
  const kind = eventTexts[event];
  return page({
    path: `/{account}/campaigns/{campaign}/${kind.path}`,
    show: async (context) => {
      const { performHere, formats, link } = context;
      const of = ofCampaign(context);
      const found = await performHere(countCampaign, of);
      const counted = countsOf(found)[event];
      const people = await context.list(listEvents, { ...of, event, limit: PAGE });
      const body = isEmpty(people)
        ? emptyState({ title: "No results", text: kind.nobody, icon: "check" })
        : html`<p class="description">${kind.description}</p>${pagedTable(context, people, {
            caption: kind.title,
            href: ({ subscriber }) => link(`/subscribers/${subscriber}`),
            columns: [
              { label: "E-mail", cell: ({ address }) => address },
              { label: "Name", cell: ({ firstName, lastName }) => `${firstName} ${lastName}`.trim() },
              { label: kind.at, cell: ({ at }) => formats.time(at) },
              { label: "Joined", cell: ({ joinedAt }) => formats.date(joinedAt), isMinor: true },
            ],
            text: (count) => `${formats.number(count)} of ${countOf(context, counted)}`,
          })}`;
      return content(
        `${kind.title} – ${found.name}`,
        html`${campaignHeader(context, found, event)}
${body}${
  event === "bounced" && people.rows.length > 0 && context.may("editor")
    ? buttonRow(
        buttonLink({ label: "Clear these bounces", href: `${addressOf(context, found.id)}/clear-bounces` }),
      )
    : null
}`,
      );
    },
  });
};

/** The number is that of all bounces: those since a time are fewer. */
const clearBouncesPage = confirmPage({
  path: "/{account}/campaigns/{campaign}/clear-bounces",
  role: "editor",
  form: "clear",
  show: async (context, form) => {
    const { performHere, formats, link } = context;
    const of = ofCampaign(context);
    const { id, name } = await performHere(briefCampaign, of);
    const { count, isMore } = await performHere(previewClearBounces, { ...of, since: null });
    const affected = countOf(context, { count, hasMore: isMore });
    const header = {
      title: "Clear bounces",
      parent: { label: name, href: link(`/campaigns/${id}/bounced`) },
    };
    if (count === 0 && !isMore)
      return titled(
        header,
        emptyState({
          title: "Nobody is suppressed",
          text: "Nobody is suppressed any more because of a bounce in this campaign.",
          icon: "check",
          actions: [buttonLink({ label: "Cancel", href: header.parent.href, emphasis: "quiet" })],
        }),
      );
    return {
      ...header,
      question: "Clear the bounces that this campaign has caused?",
      affected: `${affected} ${affected === "1" ? "subscriber" : "subscribers"}`,
      consequences: [
        "Use this if a relay wrongly reported existing addresses as nonexistent. Mail to nonexistent addresses harms the sender's reputation.",
        "They get later campaigns again, unless something else suppresses them. This campaign is sent to them only if you try its failed recipients again.",
      ],
      isDangerous: true,
      isIdempotent: true,
      fields: html`${textField({
        ...form.field("reason"),
        label: "Reason",
        hint: "It is stored in the history of each subscriber.",
      })}${textField({
        ...form.field("since"),
        label: "Only bounces since",
        type: "datetime-local",
        hint: `Empty: all of them. Time zone: ${formats.timeZone.replaceAll("_", " ")}.`,
        width: "medium",
        isOptional: true,
      })}`,
      confirm: "Clear bounces",
    };
  },
  submit: async (context) => {
    const { performHere, form, formats, params } = context;
    const [reason, time] = [form.text("reason"), form.text("since")];
    const since = time === "" ? null : readLocalTime(time, formats.timeZone);
    if (time !== "" && since === null)
      throw new FormRefused({ fields: { since: "Give a date and a time, or leave it empty." } });
    const { job } = await performHere(clearBounces, { ...ofCampaign(context), reason, since });
    const done = "The bounces are cleared.";
    const begun = "Clearing the bounces has started. This page shows its progress.";
    return redirectAfter(context, job, addressOf(context, params.campaign), { done, begun });
  },
});

export const campaignPeoplePages: readonly AnyPage[] = [...eventKinds.map(peoplePage), clearBouncesPage];
