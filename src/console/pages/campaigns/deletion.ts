/** `/console/{account}/campaigns/{campaign}/deletion`: says what goes and what stays, then deletes. */
import { deleteCampaign, showCampaignToDelete } from "#admin/campaigns/campaigns.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page } from "../../kit/page.ts";
import { redirectAfter } from "../jobs/job-progress.ts";
import * as texts from "./campaign.texts.ts";
import { addressOf, countOf, countsOf, eventKinds, ofCampaign, totalOf } from "./campaign-header.ts";

export const campaignDeletionPage = page({
  path: "/{account}/campaigns/{campaign}/deletion",
  role: "owner",
  show: async (visit) => {
    const { perform, shown } = visit;
    const found = await perform(showCampaignToDelete, ofCampaign(visit));
    const own = addressOf(visit, found.id);
    const title = texts.deleteTitle(found.name);
    const byKind = countsOf(found);
    const { count, hasMore } = totalOf(found);
    const counts = eventKinds.map(
      (kind) => `${countOf(visit, byKind[kind])} ${texts.kinds[kind].title.toLowerCase()}`,
    );
    const buttons = buttonRow(
      button({ label: texts.confirmDelete, emphasis: "danger" }),
      buttonLink({ label: texts.cancel, href: own, emphasis: "quiet" }),
    );
    return content(
      title,
      html`${pageHeader({ title, parent: { label: found.name, href: own } })}
${confirmation({
  title: texts.deleteQuestion,
  affected: (hasMore ? texts.moreAffected : texts.affected)(visit.formats.number(count)),
  consequences: [texts.goes(counts), texts.stays, texts.noReturn],
  isDangerous: true,
  body: formOf("delete", { shown: shown("delete"), version: versionOf("campaign", found), body: buttons }),
})}`,
    );
  },
  forms: {
    delete: {
      submit: async (visit) => {
        const { perform, link } = visit;
        const { campaign, job } = await perform(deleteCampaign, ofCampaign(visit));
        const done = texts.wasDeleted(campaign.name);
        return redirectAfter(visit, job, link("/campaigns"), { done, begun: done });
      },
    },
  },
});
