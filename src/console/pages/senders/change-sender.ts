/**
 * Creates, changes and deletes a sender, and replaces its DKIM key: each on a page below
 * `…/settings/senders`.
 */
import { createSender, deleteSender, newSenderKey, setSender, showSender } from "#admin/senders/senders.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf, saveOrCancel } from "../../kit/forms/form-html.ts";
import { type Answer, content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./change-sender.texts.ts";
import { asksForPasswordAgain, senderFields, senderIn } from "./sender-form.ts";
import * as senders from "./senders.texts.ts";
import { nameOf } from "./senders.ts";

const HOME = "/settings/senders";
const BELOW = "/{account}/settings/senders/{sender}";

export const newSenderPage = page({
  path: "/{account}/settings/senders/new",
  role: "owner",
  show: async ({ shown, link }) => {
    const form = asksForPasswordAgain(shown("create"));
    return content(
      texts.newTitle,
      html`${pageHeader({ title: texts.newTitle, parent: { label: senders.title, href: link(HOME) } })}
${formOf("create", {
  shown: form,
  isOnce: true,
  body: html`${senderFields(form, null)}${saveOrCancel(texts.create, link(HOME))}`,
})}`,
    );
  },
  forms: {
    create: {
      submit: async ({ perform, account, form, link }) => {
        const { sender } = await perform(createSender, { account: account.id, ...senderIn(form, null) });
        return redirect(link(`${HOME}/${sender.id}`), texts.created);
      },
    },
  },
});

export const changeSenderPage = page({
  path: `${BELOW}/change`,
  role: "owner",
  show: async ({ perform, account, params, shown, link }) => {
    const { sender } = await perform(showSender, { account: account.id, id: params.sender });
    const form = asksForPasswordAgain(shown("change"));
    const title = texts.changeTitle(nameOf(sender));
    const back = link(`${HOME}/${sender.id}`);
    return content(
      title,
      html`${pageHeader({ title, parent: { label: nameOf(sender), href: back } })}
${formOf("change", {
  shown: form,
  version: versionOf("sender", sender),
  body: html`${senderFields(form, sender)}${saveOrCancel(texts.save, back)}`,
})}`,
    );
  },
  forms: {
    change: {
      submit: async ({ perform, account, params, form, link }) => {
        const one = { account: account.id, id: params.sender };
        const { sender } = await perform(showSender, one);
        await perform(setSender, { ...one, ...senderIn(form, sender) });
        return redirect(link(`${HOME}/${sender.id}`), texts.saved);
      },
    },
  },
});

interface Question {
  readonly title: string;
  readonly question: string;
  readonly consequences: readonly string[];
  readonly isDangerous: boolean;
  readonly confirm: string;
}

/** The page that asks before a step. */
async function ask(
  { perform, account, params, shown, link }: Visit<typeof BELOW>,
  form: string,
  questionOf: (sender: Sender) => Question,
): Promise<Answer> {
  const { sender } = await perform(showSender, { account: account.id, id: params.sender });
  const { title, question, consequences, isDangerous, confirm } = questionOf(sender);
  const back = link(`${HOME}/${sender.id}`);
  return content(
    title,
    html`${pageHeader({ title, parent: { label: nameOf(sender), href: back } })}
${confirmation({
  title: question,
  affected: null,
  consequences,
  isDangerous,
  body: formOf(form, {
    shown: shown(form),
    version: versionOf("sender", sender),
    body: buttonRow(
      button({ label: confirm, emphasis: isDangerous ? "danger" : "primary" }),
      buttonLink({ label: texts.keep, href: back, emphasis: "quiet" }),
    ),
  }),
})}`,
  );
}

export const newKeyPage = page({
  path: `${BELOW}/new-key`,
  role: "owner",
  show: (visit) =>
    ask(visit, "replace", (sender) => ({
      title: texts.newKeyTitle(nameOf(sender)),
      question: texts.newKeyQuestion,
      consequences: [texts.newKeySelector(sender.dkimSelector ?? ""), texts.newKeyUse, texts.newKeyOldRecord],
      isDangerous: false,
      confirm: texts.newKeyConfirm,
    })),
  forms: {
    replace: {
      submit: async ({ perform, account, params, link }) => {
        const { sender } = await perform(newSenderKey, { account: account.id, id: params.sender });
        return redirect(link(`${HOME}/${sender.id}`), texts.newKeyDone);
      },
    },
  },
});

export const deleteSenderPage = page({
  path: `${BELOW}/delete`,
  role: "owner",
  show: (visit) =>
    ask(visit, "delete", (sender) => ({
      title: texts.deleteTitle(nameOf(sender)),
      question: texts.deleteQuestion(nameOf(sender)),
      consequences: [texts.deleteSecrets, texts.deleteCampaigns],
      isDangerous: true,
      confirm: texts.deleteConfirm,
    })),
  forms: {
    delete: {
      submit: async ({ perform, account, params, link }) => {
        const deleted = await perform(deleteSender, { account: account.id, id: params.sender });
        return redirect(link(HOME), texts.deleted(nameOf(deleted)));
      },
    },
  },
});
