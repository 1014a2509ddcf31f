/** Unsubscribes, reactivates or erases a subscriber: each on a page that says what happens. */

import { eraseSubscriber, exportSubscriber, type Person, showSubscriber } from "#admin/subscribers/record.ts";
import { reactivate, unsubscribe } from "#admin/subscribers/subscribers.ts";
import { nextNight } from "#domain/job/job.ts";
import { type ClearableSuppression, clearable } from "#domain/subscriber/subscriber.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState, notice } from "#html/components/feedback.ts";
import { radioGroup, textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { asTyped } from "#shipped.ts";
import { FormRefused } from "../../kit/errors.ts";
import { confirmPage, formOf } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { linkTo, objectLinks } from "../../kit/object-links.ts";
import { content, page, redirect, titled } from "../../kit/page.ts";
import { ERASE, emailOf, REACTIVATE, UNSUBSCRIBE } from "./person-parts.ts";

const unsubscribePage = confirmPage({
  path: UNSUBSCRIBE,
  role: "editor",
  form: "unsubscribe",
  show: async (context) => {
    const id = context.params.subscriber;
    const email = await emailOf(context, id);
    return {
      title: "Unsubscribe",
      parent: { label: email, href: objectLinks(context).subscriber(id) },
      question: `Unsubscribe ${email}?`,
      affected: "1 person",
      consequences: [
        "The person gets no more mail from this account, from any list.",
        "Programs and imports cannot add the address again.",
        "The memberships are kept but suspended. Reactivating the person restores them.",
      ],
      isDangerous: true,
      confirm: "Unsubscribe",
    };
  },
  submit: async (context) => {
    const id = context.params.subscriber;
    await context.performHere(unsubscribe, { id });
    return redirect(objectLinks(context).subscriber(id), "The person is unsubscribed from all lists.");
  },
});

const suppressionNames: Readonly<Record<ClearableSuppression, string>> = {
  unsubscribed: "The person unsubscribed",
  bounced: "The address bounced",
  complained: "The person complained",
};

const reactivatePage = page({
  path: REACTIVATE,
  role: "editor",
  show: async (context) => {
    const id = context.params.subscriber;
    const { record } = await context.performHere(showSubscriber, { id });
    const { suppressions, address } = record;
    const links = objectLinks(context);
    const person = links.subscriber(id);
    const held = clearable.filter((kind) => suppressions[kind] !== null);
    const shown = context.formState("reactivate");
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
      ...shown.field("suppression", held[0] ?? ""),
      label: "What to undo",
      options: held.map((value) => ({
        value,
        label: suppressionNames[value],
        hint: `since ${context.formats.dateTime(suppressions[value] ?? 0)}`,
      })),
    })}${textField({
      ...shown.field("reason"),
      label: "Reason",
      hint: "For example: asked by phone on 14 November.",
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
      }${formOf("reactivate", { state: shown, body })}</div>`,
    );
  },
  forms: {
    reactivate: async (context) => {
      const id = context.params.subscriber;
      const suppression = clearable.find((kind) => kind === context.form.text("suppression"));
      if (suppression === undefined)
        throw new FormRefused({ fields: { suppression: "Choose what to undo." } });
      const { state } = await context.performHere(reactivate, {
        id,
        suppression,
        reason: context.form.text("reason"),
      });
      return redirect(
        objectLinks(context).subscriber(id),
        state === "active"
          ? "The person is active again. The lists are the same as before."
          : `That is undone. The person is still ${state} and gets no mail.`,
      );
    },
  },
});

interface Counts {
  readonly values: number;
  readonly lists: number;
  readonly history: number;
  readonly results: number;
  readonly refused: number;
}
function partsOf({ values, lists, history, results, refused }: Counts, { count }: Formats): string {
  return [
    count(values, "field value"),
    count(lists, "membership"),
    count(history, "history entry", "history entries"),
    count(results, "campaign result"),
    count(refused, "refused call"),
  ].join(", ");
}
const rewriteText = (at: number, { dateTime }: Formats): string =>
  `Remains in the database files are removed the next night: ${dateTime(at)}.`;

const erasePage = confirmPage({
  path: ERASE,
  role: "owner",
  form: "erase",
  show: async (context) => {
    const { formats } = context;
    const of = { id: context.params.subscriber };
    const found = await context.performHere(exportSubscriber, of);
    const person = objectLinks(context).subscriber(of.id);
    return {
      title: "Erase",
      parent: { label: found.address, href: person },
      question: `Erase ${found.address}?`,
      affected: "1 person",
      consequences: [
        `The address, the names and everything else about the person is deleted: ${partsOf(erasedCounts(found), formats)}.`,
        isSuppressed(found)
          ? "The address still gets no mail: a hash of it is kept, so that it cannot be added again by mistake. The address cannot be read from the hash."
          : "The address can be added again, as a new subscriber.",
        "Statistics stay. They contain no personal data.",
        rewriteText(nextNight(context.now), formats),
        "Earlier backups still contain the person.",
        "This cannot be undone.",
      ],
      isDangerous: true,
      confirm: "Erase this person",
      others: [
        buttonLink({
          label: "Download everything first",
          href: `${person}/download`,
          icon: "export",
          isDownload: true,
        }),
      ],
    };
  },
  submit: async (context) => {
    const { formats } = context;
    const of = { id: context.params.subscriber };
    const { values, lists, history, losses, refusedCalls, kept, formerAddresses, rewriteAt } =
      await context.performHere(eraseSubscriber, of);
    const counts = { values, lists, history, results: losses, refused: refusedCalls };
    const said = [
      `Deleted: ${partsOf(counts, formats)}.`,
      ...(kept === null
        ? []
        : ["A hash of the address is kept, so that it cannot be added again by mistake."]),
      ...(rewriteAt === null ? [] : [rewriteText(rewriteAt, formats)]),
    ];
    const title = "The person is erased";
    // Not a redirect: former addresses are shown once, and are not stored any more.
    return titled(
      { title, parent: { label: "Subscribers", href: context.link("/subscribers") } },
      html`<div class="stack">${notice("good", title, html`<ul>${said.map((one) => html`<li>${one}</li>`)}</ul>`)}${
        formerAddresses.length === 0
          ? null
          : notice(
              "warning",
              `The person had another address before: ${formerAddresses.join(", ")}. Refused calls and file names may still contain it. Unless it belongs to somebody else now, erase it too: with “${asTyped("mailroll subscriber erase")}” on the command line, or with the API.`,
            )
      }</div>`,
    );
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

export const suppressionPages = [unsubscribePage, reactivatePage, erasePage];
