/** `/console/{account}/lists/{list}/delete`: what goes and what stays, then the deletion. */
import { deleteList, showListToDelete } from "#admin/lists.ts";
import type { List } from "#domain/list.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page } from "../../kit/page.ts";
import { redirectAfter } from "../jobs/job-progress.ts";
import * as texts from "./delete-list.texts.ts";

export const deleteListPage = page({
  path: "/{account}/lists/{list}/delete",
  role: "owner",
  show: async ({ perform, account, params, shown, link, formats }) => {
    const found = await perform(showListToDelete, { account: account.id, id: params.list });
    const { list, campaigns, hasMoreCampaigns } = found;
    const home = link(`/lists/${list.id}`);
    const title = texts.title(list.name);
    return content(
      title,
      html`${pageHeader({ title, parent: { label: list.name, href: home } })}
${confirmation({
  title: texts.question(list.name),
  affected: affectedBy(list, formats),
  consequences: [
    texts.peopleStay,
    texts.growthGoes,
    campaigns === 0
      ? texts.noCampaigns
      : texts.campaigns(formats.number(campaigns), campaigns === 1, hasMoreCampaigns),
    texts.calls(String(list.id)),
    texts.noWayBack,
  ],
  isDangerous: true,
  body: formOf("delete", {
    shown: shown("delete"),
    version: versionOf("list", list),
    body: buttonRow(
      button({ label: texts.confirm, emphasis: "danger" }),
      buttonLink({ label: texts.exportFirst, href: `${home}/export` }),
      buttonLink({ label: texts.keep, href: home, emphasis: "quiet" }),
    ),
  }),
})}`,
    );
  },
  forms: {
    delete: {
      submit: async (visit) => {
        const { perform, account, params, link } = visit;
        const { list, job } = await perform(deleteList, { account: account.id, id: params.list });
        const [done, begun] = [texts.deleted(list.name), texts.begun(list.name)];
        return redirectAfter(visit, job, link("/lists"), { done, begun });
      },
    },
  },
});

function affectedBy({ members }: List, { number }: Formats): string {
  if (members === 0) return texts.nobody;
  return members === 1 ? texts.one : texts.affected(number(members));
}
