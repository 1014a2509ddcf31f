/** `/console/{account}/subscribers/{subscriber}/reactivate`: clears a suppression, for a reason. */
import { showSubscriber } from "#admin/subscribers/record.ts";
import { reactivate } from "#admin/subscribers/subscribers.ts";
import { linkTo, objectLinks } from "#console/kit/addresses/object-links.ts";
import { FormRefused } from "#console/kit/failures.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import { clearable } from "#domain/subscriber/subscriber.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState, notice } from "#html/components/feedback.ts";
import { radioGroup, textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { REACTIVATE } from "../links.ts";
import * as texts from "./reactivate.texts.ts";

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
    const cancel = buttonLink({ label: texts.cancel, href: person, emphasis: "quiet" });
    const header = pageHeader({
      title: texts.title,
      parent: { label: address, href: person },
      description: texts.description,
    });
    if (held.length === 0)
      return content(
        texts.title,
        html`${header}${emptyState({ title: texts.nothingTitle, text: texts.nothingText, icon: "check", actions: [cancel] })}`,
      );
    const body = html`${radioGroup({
      name: "suppression",
      label: texts.suppression,
      value: shown.value("suppression", held[0] ?? ""),
      error: shown.problem("suppression"),
      options: held.map((value) => ({
        value,
        label: texts.suppressions[value],
        hint: texts.since(visit.formats.dateTime(suppressions[value] ?? 0)),
      })),
    })}${textField({
      name: "reason",
      label: texts.reason,
      hint: texts.reasonHint,
      value: shown.value("reason"),
      error: shown.problem("reason"),
    })}${buttonRow(button({ label: texts.confirm, emphasis: "primary" }), cancel)}`;
    return content(
      texts.title,
      html`${header}<div class="stack">${
        suppressions.blocked === null
          ? null
          : notice(
              "warning",
              texts.blockedTitle,
              html`${texts.blockedText} ${linkTo(links.blocks, texts.blockList)}`,
            )
      }${formOf("reactivate", { shown, body })}</div>`,
    );
  },
  forms: {
    reactivate: {
      submit: async (visit) => {
        const id = visit.params.subscriber;
        const suppression = clearable.find((kind) => kind === visit.form.text("suppression"));
        if (suppression === undefined) throw new FormRefused({ fields: { suppression: texts.chooseFirst } });
        const { state } = await visit.perform(reactivate, {
          account: visit.account.id,
          id,
          suppression,
          reason: visit.form.text("reason"),
        });
        return redirect(
          objectLinks(visit).subscriber(id),
          state === "active" ? texts.done : texts.stillHeld(state),
        );
      },
    },
  },
});
