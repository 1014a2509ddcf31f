/** `/console/{account}/subscribers/{subscriber}/erase`: says what is deleted and what stays, then erases. */

import { eraseSubscriber, exportSubscriber, type Person, showSubscriber } from "#admin/subscribers/record.ts";
import { reactivate, unsubscribe } from "#admin/subscribers/subscribers.ts";
import { nextNight } from "#domain/job/job.ts";
import { type ClearableSuppression, clearable } from "#domain/subscriber/subscriber.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation, emptyState, notice } from "#html/components/feedback.ts";
import { radioGroup, textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { FormRefused } from "../../kit/failures.ts";
import { formOf } from "../../kit/form-html.ts";
import { linkTo, objectLinks } from "../../kit/object-links.ts";
import { content, page, redirect } from "../../kit/page.ts";
import { ERASE, emailOf, REACTIVATE, UNSUBSCRIBE } from "./person-parts.ts";

const unsubscribeTexts = {
  consequences: [
    "The person gets no more mail from this account, from any list.",
    "Programs and imports cannot add the address again.",
    "The memberships are kept but suspended. Reactivating the person restores them.",
  ],
};

/** `…/subscribers/{subscriber}/unsubscribe`: from all lists, after saying what that means. */
export const unsubscribePage = page({
  path: UNSUBSCRIBE,
  role: "editor",
  show: async (visit) => {
    const id = visit.params.subscriber;
    const [email, person] = [await emailOf(visit, id), objectLinks(visit).subscriber(id)];
    const body = buttonRow(
      button({ label: "Unsubscribe", emphasis: "danger" }),
      buttonLink({ label: "Cancel", href: person, emphasis: "quiet" }),
    );
    return content(
      "Unsubscribe",
      html`${pageHeader({ title: "Unsubscribe", parent: { label: email, href: person } })}
${confirmation({
  title: `Unsubscribe ${email}?`,
  affected: "1 person",
  consequences: unsubscribeTexts.consequences,
  isDangerous: true,
  body: formOf("unsubscribe", { shown: visit.shown("unsubscribe"), body }),
})}`,
    );
  },
  forms: {
    unsubscribe: {
      submit: async (visit) => {
        const id = visit.params.subscriber;
        await visit.perform(unsubscribe, { account: visit.account.id, id });
        return redirect(objectLinks(visit).subscriber(id), "The person is unsubscribed from all lists.");
      },
    },
  },
});

const suppressionNames: Readonly<Record<ClearableSuppression, string>> = {
  unsubscribed: "The person unsubscribed",
  bounced: "The address bounced",
  complained: "The person complained",
};

/** `/console/{account}/subscribers/{subscriber}/reactivate`: clears a suppression, for a reason. */
export const reactivatePage = page({
  path: REACTIVATE,
  role: "editor",
  show: async (visit) => {
    const id = visit.params.subscriber;
    const { record } = await visit.perform(showSubscriber, { account: visit.account.id, id });
    const { suppressions, address } = record;
    const links = objectLinks(visit);
    const person = links.subscriber(id);
    const held = clearable.filter((kind) => suppressions[kind] !== null);
    const shown = visit.shown("reactivate");
    const cancel = buttonLink({ label: "Cancel", href: person, emphasis: "quiet" });
    const header = pageHeader({
      title: "Reactivate",
      parent: { label: address, href: person },
      description:
        "Only if the person asked for it. The reason is kept in the history, which the person may ask to see.",
    });
    if (held.length === 0)
      return content(
        "Reactivate",
        html`${header}${emptyState({ title: "There is nothing to reactivate", text: "The person has not unsubscribed, bounced or complained.", icon: "check", actions: [cancel] })}`,
      );
    const body = html`${radioGroup({
      name: "suppression",
      label: "What to undo",
      value: shown.value("suppression", held[0] ?? ""),
      error: shown.problem("suppression"),
      options: held.map((value) => ({
        value,
        label: suppressionNames[value],
        hint: `since ${visit.formats.dateTime(suppressions[value] ?? 0)}`,
      })),
    })}${textField({
      name: "reason",
      label: "Reason",
      hint: "For example: asked by phone on 14 November.",
      value: shown.value("reason"),
      error: shown.problem("reason"),
    })}${buttonRow(button({ label: "Reactivate", emphasis: "primary" }), cancel)}`;
    return content(
      "Reactivate",
      html`${header}<div class="stack">${
        suppressions.blocked === null
          ? null
          : notice(
              "warning",
              "The address is also blocked",
              html`Remove it from the block list first: ${linkTo(links.blocks, "Open the block list")}`,
            )
      }${formOf("reactivate", { shown, body })}</div>`,
    );
  },
  forms: {
    reactivate: {
      submit: async (visit) => {
        const id = visit.params.subscriber;
        const suppression = clearable.find((kind) => kind === visit.form.text("suppression"));
        if (suppression === undefined)
          throw new FormRefused({ fields: { suppression: "Choose what to undo." } });
        const { state } = await visit.perform(reactivate, {
          account: visit.account.id,
          id,
          suppression,
          reason: visit.form.text("reason"),
        });
        return redirect(
          objectLinks(visit).subscriber(id),
          state === "active"
            ? "The person is active again. The lists are the same as before."
            : `That is undone. The person is still ${state} and gets no mail.`,
        );
      },
    },
  },
});

const counted = (count: number, number: string, one: string, many: string): string =>
  `${number} ${count === 1 ? one : many}`;
interface Counts {
  readonly values: number;
  readonly lists: number;
  readonly history: number;
  readonly results: number;
  readonly refused: number;
}
function countsOf(counts: Counts, number: (count: number) => string): readonly string[] {
  const { values, lists, history, results, refused } = counts;
  return [
    counted(values, number(values), "field value", "field values"),
    counted(lists, number(lists), "membership", "memberships"),
    counted(history, number(history), "history entry", "history entries"),
    counted(results, number(results), "campaign result", "campaign results"),
    counted(refused, number(refused), "refused call", "refused calls"),
  ];
}
const eraseTexts = {
  title: "Erase",
  question: (email: string): string => `Erase ${email}?`,
  affected: "1 person",
  cannotBeUndone: "This cannot be undone.",
  deletes: (parts: readonly string[]): string =>
    `The address, the names and everything else about the person is deleted: ${parts.join(", ")}.`,
  numbersStay: "Statistics stay. They contain no personal data.",
  suppressionStays:
    "The address still gets no mail: a hash of it is kept, so that it cannot be added again by mistake. The address cannot be read from the hash.",
  canReturn: "The address can be added again, as a new subscriber.",
  rewrite: (time: string): string => `Remains in the database files are removed the next night: ${time}.`,
  backups: "Earlier backups still contain the person.",
  download: "Download everything first",
  confirm: "Erase this person",
  cancel: "Cancel",
  doneTitle: "The person is erased",
  deleted: (parts: readonly string[]): string => `Deleted: ${parts.join(", ")}.`,
  kept: "A hash of the address is kept, so that it cannot be added again by mistake.",
  former: (addresses: string): string =>
    `The person had another address before: ${addresses}. Refused calls and file names may still contain it. Unless it belongs to somebody else now, erase it too: with “mailroll subscriber erase” on the command line, or with the API.`,
  back: "Subscribers",
};

export const erasePage = page({
  path: ERASE,
  role: "owner",
  show: async (visit) => {
    const { formats } = visit;
    const of = { account: visit.account.id, id: visit.params.subscriber };
    const found = await visit.perform(exportSubscriber, of);
    const person = objectLinks(visit).subscriber(of.id);
    const body = buttonRow(
      button({ label: eraseTexts.confirm, emphasis: "danger" }),
      buttonLink({
        label: eraseTexts.download,
        href: `${person}/download`,
        icon: "export",
        isDownload: true,
      }),
      buttonLink({ label: eraseTexts.cancel, href: person, emphasis: "quiet" }),
    );
    return content(
      eraseTexts.title,
      html`${pageHeader({ title: eraseTexts.title, parent: { label: found.address, href: person } })}
${confirmation({
  title: eraseTexts.question(found.address),
  affected: eraseTexts.affected,
  consequences: [
    eraseTexts.deletes(countsOf(erasedCounts(found), (count) => formats.number(count))),
    isSuppressed(found) ? eraseTexts.suppressionStays : eraseTexts.canReturn,
    eraseTexts.numbersStay,
    eraseTexts.rewrite(formats.dateTime(nextNight(visit.now))),
    eraseTexts.backups,
    eraseTexts.cannotBeUndone,
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
          eraseTexts.deleted(countsOf(counts, (count) => formats.number(count))),
          ...(kept === null ? [] : [eraseTexts.kept]),
          ...(rewriteAt === null ? [] : [eraseTexts.rewrite(formats.dateTime(rewriteAt))]),
        ];
        // Not a redirect: former addresses are shown once, and are not stored any more.
        return content(
          eraseTexts.doneTitle,
          html`${pageHeader({ title: eraseTexts.doneTitle, parent: { label: eraseTexts.back, href: visit.link("/subscribers") } })}
<div class="stack">${notice("good", eraseTexts.doneTitle, html`<ul>${said.map((one) => html`<li>${one}</li>`)}</ul>`)}${
            formerAddresses.length === 0
              ? null
              : notice("warning", eraseTexts.former(formerAddresses.join(", ")))
          }</div>`,
        );
      },
    },
  },
});

function erasedCounts({ record, refusedCalls }: Person): Counts {
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
