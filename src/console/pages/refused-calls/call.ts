/**
 * `/console/{account}/refused-calls/{refusedCall}`: one call, why it was refused and what to do about it; to
 * be corrected and replayed, or dismissed.
 */
import { meaningOf } from "#admin/error-texts.ts";
import { listLists } from "#admin/lists.ts";
import { argumentsOf, parametersOf } from "#admin/refusals/parameters.ts";
import { dismissRefusal, findRefusal, replayRefusal } from "#admin/refusals/refusals.ts";
import type { List } from "#domain/list.ts";
import type { Refusal } from "#domain/refusal.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { allRows } from "../../kit/all-rows.ts";
import { FormRefused } from "../../kit/failures.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./call.texts.ts";
import { aboutOf, argumentFields, argumentRows, correctionsIn } from "./call-arguments.ts";
import { type Mentioned, mentionedBy } from "./call-mentions.ts";
import { groupLink, groupOf } from "./group-address.ts";
import { keyLink, keyName } from "./key-names.ts";
import { reasonAdvice, reasonTitle } from "./reasons.texts.ts";

const PATH = "/{account}/refused-calls/{refusedCall}";
type CallVisit = Visit<typeof PATH>;

const oneCall = ({ account, params }: Pick<CallVisit, "account" | "params">) => ({
  account: account.id,
  id: params.refusedCall,
});

export const refusedCallPage = page({
  path: PATH,
  show: async (visit) => {
    const { perform, account, formats, may } = visit;
    const call = await perform(findRefusal, oneCall(visit));
    const names = await keyName(visit, call.key);
    const lists = await allRows(visit, listLists, { account: account.id });
    const title = reasonTitle(call.outcome);
    return content(
      title,
      html`${pageHeader({
        title,
        parent: { label: texts.group, href: groupLink(visit, groupOf(call)) },
        description: aboutOf(call),
      })}
<div class="stack">
${notice("info", texts.whatToDo, reasonAdvice(call.outcome))}
${definitions([
  [texts.operation, html`<code>${call.operation}</code>`],
  [texts.integration, keyLink(visit, names, call.key)],
  [texts.made, call.count === 1 ? texts.once : texts.timesMade(formats.number(call.count))],
  [texts.first, formats.time(call.firstAt)],
  [texts.last, formats.time(call.lastAt)],
])}
</div>
${argumentsPart(call, await mentionedBy(visit, argumentsOf(call), lists))}
${may("editor") ? html`${replayPart(visit, call, lists)}${dismissPart(visit)}` : null}`,
    );
  },
  forms: {
    replay: {
      submit: async (visit) => {
        const { perform, form } = visit;
        const call = await perform(findRefusal, oneCall(visit));
        const corrections = correctionsIn(form, parametersOf(call.operation) ?? [], argumentsOf(call));
        const { outcome, byte } = await perform(replayRefusal, { ...oneCall(visit), corrections });
        if (byte !== 0)
          throw new FormRefused({ message: texts.refusedAgain(reasonTitle(outcome), meaningOf(outcome)) });
        return redirect(groupLink(visit, groupOf(call)), texts.succeeded);
      },
    },
    dismiss: {
      submit: async (visit) => {
        const { perform } = visit;
        const call = await perform(findRefusal, oneCall(visit));
        await perform(dismissRefusal, oneCall(visit));
        return redirect(groupLink(visit, groupOf(call)), texts.dismissed);
      },
    },
  },
});

function argumentsPart(call: Refusal, mentioned: Mentioned): Html {
  const rows = argumentRows(argumentsOf(call));
  const body =
    rows.length === 0
      ? html`<p>${texts.nothingSent}</p>`
      : table({
          caption: texts.given,
          rows,
          columns: [
            { label: texts.argument, cell: ({ name }) => name },
            {
              label: texts.value,
              cell: ({ name, value }) => {
                const more = mentioned.get(name) ?? null;
                const shown = value === "" ? html`<span class="absent">${texts.empty}</span>` : value;
                return more === null ? shown : html`${shown} <small>(${more})</small>`;
              },
            },
          ],
        });
  return section(texts.given, body);
}

function replayPart({ shown }: CallVisit, call: Refusal, lists: readonly List[]): Html {
  const form = shown("replay");
  const parameters = parametersOf(call.operation);
  if (parameters === null || call.isCut)
    return section(
      texts.correct,
      html`<p>${call.isCut ? texts.isCut : texts.unknownOperation(call.operation)}</p>`,
    );
  const body = html`${argumentFields(parameters, argumentsOf(call), lists, form)}${buttonRow(
    button({ label: texts.replay, emphasis: "primary" }),
  )}`;
  return section(texts.correct, formOf("replay", { shown: form, body }), {
    description: texts.correctDescription,
  });
}

const dismissPart = ({ shown }: CallVisit): Html =>
  section(
    texts.dismiss,
    formOf("dismiss", {
      shown: shown("dismiss"),
      body: buttonRow(button({ label: texts.dismiss, emphasis: "danger" })),
    }),
    { description: texts.dismissDescription },
  );
