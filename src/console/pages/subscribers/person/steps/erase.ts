/** `/console/{account}/subscribers/{subscriber}/erase`: says what is deleted and what stays, then erases. */
import { eraseSubscriber, exportSubscriber, type Person } from "#admin/subscribers/record.ts";
import { objectLinks } from "#console/kit/addresses/object-links.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { content, page } from "#console/kit/page.ts";
import { nextNight } from "#domain/job/night.ts";
import { clearable } from "#domain/subscriber/subscriber.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation, notice } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { ERASE } from "../links.ts";
import * as texts from "./erase.texts.ts";

export const erasePage = page({
  path: ERASE,
  role: "owner",
  show: async (visit) => {
    const { formats } = visit;
    const of = { account: visit.account.id, id: visit.params.subscriber };
    const found = await visit.perform(exportSubscriber, of);
    const person = objectLinks(visit).subscriber(of.id);
    const body = buttonRow(
      button({ label: texts.confirm, emphasis: "danger" }),
      buttonLink({ label: texts.download, href: `${person}/download`, icon: "export", isDownload: true }),
      buttonLink({ label: texts.cancel, href: person, emphasis: "quiet" }),
    );
    return content(
      texts.title,
      html`${pageHeader({ title: texts.title, parent: { label: found.address, href: person } })}
${confirmation({
  title: texts.question(found.address),
  affected: texts.affected,
  consequences: [
    texts.deletes(texts.countsOf(countsOf(found), (count) => formats.number(count))),
    isSuppressed(found) ? texts.suppressionStays : texts.canReturn,
    texts.numbersStay,
    texts.rewrite(formats.dateTime(nextNight(visit.now))),
    texts.backups,
    texts.cannotBeUndone,
  ],
  isDangerous: true,
  body: formOf("erase", { shown: visit.shown("erase"), body }),
})}`,
    );
  },
  forms: {
    erase: {
      submit: async (visit) => {
        const { formats } = visit;
        const of = { account: visit.account.id, id: visit.params.subscriber };
        const { values, lists, history, losses, refusedCalls, kept, formerAddresses, rewriteAt } =
          await visit.perform(eraseSubscriber, of);
        const counts = { values, lists, history, results: losses, refused: refusedCalls };
        const said = [
          texts.deleted(texts.countsOf(counts, (count) => formats.number(count))),
          ...(kept === null ? [] : [texts.kept]),
          ...(rewriteAt === null ? [] : [texts.rewrite(formats.dateTime(rewriteAt))]),
        ];
        // Not a redirect: former addresses are shown once, and are not stored any more.
        return content(
          texts.doneTitle,
          html`${pageHeader({ title: texts.doneTitle, parent: { label: texts.back, href: visit.link("/subscribers") } })}
<div class="stack">${notice("good", texts.doneTitle, html`<ul>${said.map((one) => html`<li>${one}</li>`)}</ul>`)}${
            formerAddresses.length === 0 ? null : notice("warning", texts.former(formerAddresses.join(", ")))
          }</div>`,
        );
      },
    },
  },
});

function countsOf({ record, refusedCalls }: Person): texts.Counts {
  return {
    values: record?.values.length ?? 0,
    lists: record?.lists.length ?? 0,
    history: record?.history.length ?? 0,
    results: record?.losses.length ?? 0,
    refused: refusedCalls.length,
  };
}

/** By something that stays in force: not by a block of the domain, which stays anyway. */
const isSuppressed = ({ record, blocks, address }: Person): boolean =>
  clearable.some((kind) => (record?.suppressions[kind] ?? null) !== null) ||
  blocks.some(({ pattern }) => pattern === address.toLowerCase());
