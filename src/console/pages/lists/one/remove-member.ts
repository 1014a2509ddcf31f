/** `/console/{account}/lists/{list}/members/{subscriber}/remove`: one person leaves the list. */
import { findList } from "#admin/lists.ts";
import { showSubscriber } from "#admin/subscribers/record.ts";
import { removeSubscriber } from "#admin/subscribers/subscribers.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import * as texts from "./remove-member.texts.ts";

export const removeMemberPage = page({
  path: "/{account}/lists/{list}/members/{subscriber}/remove",
  role: "editor",
  show: async ({ perform, account, params, shown, link }) => {
    const list = await perform(findList, { account: account.id, id: params.list });
    const { record } = await perform(showSubscriber, { account: account.id, id: params.subscriber });
    const home = link(`/lists/${list.id}`);
    const title = texts.title(list.name);
    return content(
      title,
      html`${pageHeader({ title, parent: { label: list.name, href: home } })}
${confirmation({
  title: texts.question(record.address, list.name),
  affected: texts.affected,
  consequences: [texts.leaves, texts.stays, texts.notUnsubscribed],
  isDangerous: true,
  body: formOf("remove", {
    shown: shown("remove"),
    body: buttonRow(
      button({ label: texts.confirm, emphasis: "danger" }),
      buttonLink({ label: texts.keep, href: home, emphasis: "quiet" }),
    ),
  }),
})}`,
    );
  },
  forms: {
    remove: {
      submit: async ({ perform, account, params, link }) => {
        const list = await perform(findList, { account: account.id, id: params.list });
        const one = { account: account.id, list: list.id, id: params.subscriber };
        const { address } = await perform(removeSubscriber, one);
        return redirect(link(`/lists/${list.id}`), texts.removed(address, list.name));
      },
    },
  },
});
