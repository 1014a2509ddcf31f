/**
 * `/console/{account}/refused-calls/{refusedCall}`: one call, why it was refused and what to do about it; to
 * be corrected and replayed, or dismissed.
 */
import { meaningOf } from "#admin/error-texts.ts";
import { listLists } from "#admin/lists.ts";
import {
  argumentsOf,
  dismissRefusal,
  findRefusal,
  parametersOf,
  replayRefusal,
} from "#admin/refused-calls.ts";
import type { List } from "#domain/list.ts";
import type { Refusal } from "#domain/refused-call.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import { formOf } from "../../kit/form-html.ts";
import { allRows } from "../../kit/listing.ts";
import { type PageContext, page, redirect, titled } from "../../kit/page.ts";
import {
  aboutOf,
  argumentFields,
  argumentRows,
  callTexts,
  correctionsIn,
  type Mentioned,
  mentionedBy,
} from "./call-arguments.ts";
import { groupLink, groupOf, keyLink, keyName, reasonAdvice, reasonTitle } from "./groups.ts";

const PATH = "/{account}/refused-calls/{refusedCall}";
type CallContext = PageContext<typeof PATH>;

const oneCall = ({ params }: Pick<CallContext, "account" | "params">) => ({
  id: params.refusedCall,
});

export const refusedCallPage = page({
  path: PATH,
  show: async (context) => {
    const { performHere, formats, may } = context;
    const call = await performHere(findRefusal, oneCall(context));
    const names = await keyName(context, call.key);
    const lists = await allRows(context, listLists);
    return titled(
      {
        title: reasonTitle(call.outcome),
        parent: { label: "All calls of this group", href: groupLink(context, groupOf(call)) },
        description: aboutOf(call),
      },
      html`<div class="stack">
${notice("info", "What to do", reasonAdvice(call.outcome))}
${definitions([
  ["Operation", html`<code>${call.operation}</code>`],
  ["Integration", keyLink(context, names, call.key)],
  ["Attempts", call.count === 1 ? "once" : `${formats.number(call.count)} times`],
  ["First refused", formats.time(call.firstAt)],
  ["Last refused", formats.time(call.lastAt)],
])}
</div>
${argumentsPart(call, await mentionedBy(context, argumentsOf(call), lists))}
${may("editor") ? html`${replayPart(context, call, lists)}${dismissPart(context)}` : null}`,
    );
  },
  forms: {
    replay: async (context) => {
      const { performHere, form } = context;
      const call = await performHere(findRefusal, oneCall(context));
      const corrections = correctionsIn(form, parametersOf(call.operation) ?? [], argumentsOf(call));
      const { outcome, isRemoved } = await performHere(replayRefusal, { ...oneCall(context), corrections });
      if (!isRemoved)
        throw new FormRefused({ message: `Refused again: ${reasonTitle(outcome)}. ${meaningOf(outcome)}` });
      return redirect(
        groupLink(context, groupOf(call)),
        "The call succeeded and is removed from the refused calls.",
      );
    },
    dismiss: async (context) => {
      const { performHere } = context;
      const call = await performHere(findRefusal, oneCall(context));
      await performHere(dismissRefusal, oneCall(context));
      return redirect(groupLink(context, groupOf(call)), "The call is dismissed.");
    },
  },
});

function argumentsPart(call: Refusal, mentioned: Mentioned): Html {
  const rows = argumentRows(argumentsOf(call));
  const body =
    rows.length === 0
      ? html`<p>The call had no arguments.</p>`
      : table({
          caption: callTexts.given,
          rows,
          columns: [
            { label: "Argument", cell: ({ name }) => name },
            {
              label: "Value",
              cell: ({ name, value }) => {
                const more = mentioned.get(name) ?? null;
                const shown = value === "" ? html`<span class="absent">empty</span>` : value;
                return more === null ? shown : html`${shown} <small>(${more})</small>`;
              },
            },
          ],
        });
  return section(callTexts.given, body);
}

function replayPart({ formState }: CallContext, call: Refusal, lists: readonly List[]): Html {
  const form = formState("replay");
  const parameters = parametersOf(call.operation);
  if (parameters === null || call.isCut)
    return section(
      callTexts.correct,
      html`<p>${call.isCut ? "The arguments were too long to be stored in full, so the call cannot be replayed. Make it again in the program, then dismiss it here." : `This version has no operation ${call.operation}, so the call cannot be replayed. Dismiss it.`}</p>`,
    );
  const body = html`${argumentFields(parameters, argumentsOf(call), lists, form)}${buttonRow(
    button({ label: "Replay", emphasis: "primary" }),
  )}`;
  return section(callTexts.correct, formOf("replay", { state: form, body }), {
    description:
      "Correct the values, or leave them as they are. The call is then carried out as if the program made it now.",
  });
}

const dismissPart = ({ formState }: CallContext): Html =>
  section(
    "Dismiss",
    formOf("dismiss", {
      state: formState("dismiss"),
      body: buttonRow(button({ label: "Dismiss", emphasis: "danger" })),
    }),
    {
      description:
        "Removes the call from the refused calls. No data changes. If the program repeats the call, it is listed again.",
    },
  );
