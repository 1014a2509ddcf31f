/** `/console/{account}/refused-calls/group`: the calls of one group, the newest first. */

import { listFields } from "#admin/fields.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import { listLists } from "#admin/lists.ts";
import {
  dismissRefusal,
  dismissRefusalGroup,
  listRefusals,
  type OneGroup,
  previewRefusalGroup,
  replayRefusal,
  replayRefusalGroup,
} from "#admin/refused-calls.ts";
import type { Job } from "#domain/job/job.ts";
import type { RefusalId } from "#domain/refused-call.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation, emptyState, notice } from "#html/components/feedback.ts";
import { type Option, selectField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { pager, selectionBar, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import { idsIn } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import { allRows } from "../../kit/listing.ts";
import { content, type PageContext, page, type Redirect, redirect, titled } from "../../kit/page.ts";
import { jobLink } from "../jobs/job-progress.ts";
import { aboutOf, listChoice } from "./call-arguments.ts";
import { groupIn, groupLink, keyLink, keyName, reasonAdvice, reasonTitle } from "./groups.ts";

const calls = (count: number): string => (count === 1 ? "1 call" : `${count} calls`);
const were = (count: number): string => (count === 1 ? "was" : "were");
const sentences = (all: readonly (readonly [count: number, text: string])[]): string =>
  all
    .filter(([count]) => count > 0)
    .map(([, text]) => `${text}.`)
    .join(" ");

/** At most 50 of each, so they need no separators. */
type Counts = Readonly<Record<Outcome, number>>;
const replayed = ({ done, refused, skipped }: Counts): string =>
  sentences([
    [done, `${calls(done)} succeeded and ${were(done)} removed from the refused calls`],
    [
      refused,
      `${calls(refused)} ${were(refused)} refused again: correct ${refused === 1 ? "it" : "them"} one by one`,
    ],
    [skipped, `${calls(skipped)} could not be replayed: open ${skipped === 1 ? "it" : "them"} to see why`],
  ]);
const dismissed = ({ done, skipped }: Counts): string =>
  sentences([
    [done, `${calls(done)} ${were(done)} dismissed`],
    [skipped, `${calls(skipped)} ${were(skipped)} already gone`],
  ]);

/** Replays or dismisses the calls that were selected in a group, one by one; one sentence says the result. */
type SelectedContext = PageContext<"/{account}">;

/** As many as a page of a group shows, so that one request stays short. */
const MAX_SELECTED = 50;

/** `skipped`: another user has dealt with the call meanwhile, or it cannot be replayed. */
type Outcome = "done" | "refused" | "skipped";

async function replayOne({ performHere }: SelectedContext, id: RefusalId): Promise<Outcome> {
  const { isRemoved } = await performHere(replayRefusal, { id, corrections: {} });
  return isRemoved ? "done" : "refused";
}
async function dismissOne({ performHere }: SelectedContext, id: RefusalId): Promise<Outcome> {
  await performHere(dismissRefusal, { id });
  return "done";
}
function asSkipped(error: unknown): Outcome {
  if ([InvalidInput, NotFound, NotPossible].some((one) => error instanceof one)) return "skipped";
  throw error;
}

/** Stays on the same page of the group. If nothing has changed, the selection stays, too. */
async function submitSelected(context: SelectedContext): Promise<Redirect> {
  const { form, formats, path, query } = context;
  const ids = [...new Set(form.ids("id"))];
  if (ids.length === 0) throw new FormRefused({ message: "Select at least one call in the table." });
  if (ids.length > MAX_SELECTED)
    throw new FormRefused({
      message: `Select at most ${formats.number(MAX_SELECTED)} calls. For more, use "Replay all" or "Dismiss all".`,
    });
  const [one, said] =
    form.text("step") === "replay" ? [replayOne, replayed] : ([dismissOne, dismissed] as const);
  const counts = { done: 0, refused: 0, skipped: 0 };
  for (const id of ids) counts[await one(context, id).catch(asSkipped)] += 1;
  const result = said(counts);
  if (counts.done === 0) throw new FormRefused({ message: result });
  return redirect(`${path}?${query.toString()}`, result);
}

const refusalGroupPage = page({
  path: "/{account}/refused-calls/group",
  show: async (context) => {
    const { formats, link, may, now } = context;
    const group = groupIn(context);
    const calls = await context.list(listRefusals, { ...group, limit: MAX_SELECTED });
    const { rows, next, previous } = calls;
    const names = await keyName(context, group.key);
    const title = reasonTitle(group.outcome);
    const isEmpty = rows.length === 0 && next === null && previous === null;
    const header = pageHeader({
      title,
      parent: { label: "Refused calls", href: link("/refused-calls") },
      actions:
        isEmpty || !may("editor")
          ? []
          : [
              buttonLink({ label: "Replay all", href: groupLink(context, group, "/replay") }),
              buttonLink({ label: "Dismiss all", href: groupLink(context, group, "/dismissal") }),
            ],
    });
    if (isEmpty)
      return content(
        title,
        html`${header}
${emptyState({
  title: "No calls left",
  text: "All calls of this group have been replayed or dismissed.",
  icon: "check",
  actions: [buttonLink({ label: "Show all refused calls", href: link("/refused-calls") })],
})}`,
      );
    const shown = context.formState("selected");
    const sent = new Set(context.form.ids("id"));
    const rowsTable = table({
      caption: title,
      rows,
      href: ({ id }) => link(`/refused-calls/${id}`),
      columns: [
        { label: "Call", cell: aboutOf },
        { label: "Attempts", cell: ({ count }) => formats.number(count), isNumber: true },
        { label: "First", cell: ({ firstAt }) => formats.time(firstAt), isMinor: true },
        { label: "Last refused", cell: ({ lastAt }) => formats.ago(lastAt, now) },
      ],
      selection: may("editor")
        ? {
            name: "id",
            value: ({ id }) => String(id),
            label: (call) => `Select ${aboutOf(call)}`,
            isSelected: ({ id }) => sent.has(id),
          }
        : null,
    });
    const pages = pager({
      text: rows.length === 0 ? "None on this page. See the next one." : formats.count(rows.length, "call"),
      previous: previous === null ? null : groupLink(context, group, "", { before: previous }),
      next: next === null ? null : groupLink(context, group, "", { after: next }),
    });
    const bar = selectionBar(
      rows.length,
      button({ label: "Replay selected", name: "step", value: "replay" }),
      button({ label: "Dismiss selected", name: "step", value: "dismiss" }),
    );
    return content(
      title,
      html`${header}
<div class="stack">
${notice("info", "What to do", reasonAdvice(group.outcome))}
${definitions([
  ["Operation", html`<code>${group.operation}</code>`],
  ["Integration", keyLink(context, names, group.key)],
])}
<div>${
        may("editor") && rows.length > 0
          ? formOf("selected", {
              state: shown,
              look: "plain",
              isIdempotent: true,
              body: html`${rowsTable}${pages}${bar}`,
            })
          : html`${rowsTable}${pages}`
      }</div>
</div>`,
    );
  },
  forms: { selected: (context) => submitSelected(context) },
});

/**
 * `/console/{account}/refused-calls/group/replay` and `…/dismissal`: says how many calls it is about and what
 * will happen; then a job does it.
 */
type GroupContext = PageContext<"/{account}">;
type Preview = Awaited<ReturnType<typeof previewOf>>;

interface Step {
  readonly title: string;
  readonly consequences: readonly string[];
  readonly confirm: string;
  readonly isDangerous: boolean;
}

const oneGroup = (context: GroupContext): Omit<OneGroup, "account"> => ({ ...groupIn(context) });
const previewOf = (context: GroupContext) => context.performHere(previewRefusalGroup, oneGroup(context));

/** Of a group that has become empty, only that. */
function stepBody(
  context: GroupContext,
  form: string,
  step: Step,
  { count, isMore }: Preview,
  fields: Html | null,
): Html {
  const back = groupLink(context, groupIn(context));
  if (count === 0) return html`<p>The group has no calls left.</p>`;
  const buttons = buttonRow(
    button({ label: step.confirm, emphasis: step.isDangerous ? "danger" : "primary" }),
    buttonLink({ label: "Cancel", href: back, emphasis: "quiet" }),
  );
  return confirmation({
    title: "What will happen",
    affected: isMore
      ? `More than ${context.formats.number(count)} calls`
      : context.formats.count(count, "call"),
    consequences: step.consequences,
    isDangerous: step.isDangerous,
    body: formOf(form, {
      state: context.formState(form),
      isIdempotent: true,
      body: html`${fields}${buttons}`,
    }),
  });
}

async function showStep(
  context: GroupContext,
  form: string,
  step: Step,
  fieldsFor: (preview: Preview) => Promise<Html | null> = async () => null,
) {
  const { formats, link, now } = context;
  const group = groupIn(context);
  const preview = await previewOf(context);
  const sample = table({
    caption: "The newest calls",
    rows: preview.sample,
    href: ({ id }) => link(`/refused-calls/${id}`),
    columns: [
      { label: "Call", cell: aboutOf },
      { label: "Attempts", cell: ({ count }) => formats.number(count), isNumber: true },
      { label: "Last refused", cell: ({ lastAt }) => formats.ago(lastAt, now) },
    ],
  });
  return titled(
    {
      title: step.title,
      parent: { label: reasonTitle(group.outcome), href: groupLink(context, group) },
      description: html`<code>${group.operation}</code>`,
    },
    html`${stepBody(context, form, step, preview, await fieldsFor(preview))}
${preview.sample.length === 0 ? null : section("The newest calls", sample)}`,
  );
}

const FROM_NOW_ON = "Calls that are refused from now on are not part of it.";
const replay: Step = {
  title: "Replay all calls of this group",
  consequences: [
    "They are carried out again, each once, in the order in which they were first refused.",
    "Those that succeed change subscribers, and are removed from the refused calls. The others stay: one that is refused for another reason is listed with that reason, and keeps what you choose here.",
    FROM_NOW_ON,
  ],
  confirm: "Replay them",
  isDangerous: false,
};
const dismiss: Step = {
  title: "Dismiss all calls of this group",
  consequences: [
    "They are removed from the refused calls, and can no longer be replayed.",
    "No data changes. If a program repeats a call, it is listed again.",
    FROM_NOW_ON,
  ],
  confirm: "Dismiss them",
  isDangerous: true,
};

/** How many lists or fields that do not exist can be corrected at once; the most frequent ones. */
const MAX_CORRECTED = 20;
/** Chosen for a field: its values are left out. */
const LEFT_OUT = "none";

/** What is meant by the lists or fields that do not exist, as the calls name them. */
async function correctionFields(context: GroupContext, { unknown }: Preview): Promise<Html | null> {
  const state = context.formState("replay");
  const choices = async (kind: "list" | "field"): Promise<readonly Option[]> => {
    const all = await (kind === "list" ? allRows(context, listLists) : allRows(context, listFields));
    return all.map(({ id, name }) => ({ value: String(id), label: listChoice(name, String(id)) }));
  };
  const selects = async (kind: "list" | "field", more: readonly Option[]): Promise<readonly Html[]> => {
    const named = unknown[`${kind}s`].slice(0, MAX_CORRECTED);
    if (named.length === 0) return [];
    const options = [{ value: "", label: "As it is" }, ...(await choices(kind)), ...more];
    return named.map(({ id, calls: count }) =>
      selectField({
        ...state.field(`${kind}s/${id}`),
        label: id === "0" ? `Instead of no ${kind}` : `Instead of the ${kind} ${id}`,
        hint: `${context.formats.count(count, "call")}`,
        options,
        isOptional: true,
      }),
    );
  };
  const leaveOut = { value: LEFT_OUT, label: "Leave the value out" };
  const fields = [...(await selects("list", [])), ...(await selects("field", [leaveOut]))];
  return fields.length === 0 ? null : html`${fields}`;
}

/** By the ids that the calls name. */
function correctionsIn({ form }: GroupContext) {
  const chosen = (kind: "lists" | "fields") =>
    [...form.entries()].flatMap(([name, [value = ""]]) =>
      name.startsWith(`${kind}/`) && value !== "" ? [[name.slice(kind.length + 1), value] as const] : [],
    );
  const fieldId = (value: string): bigint => (/^\d{1,18}$/.test(value) ? BigInt(value) : 0n);
  return {
    lists: Object.fromEntries(chosen("lists").map(([id, list]) => [id, idsIn(list)[0] ?? 0])),
    fields: Object.fromEntries(
      chosen("fields").map(([id, field]) => [id, field === LEFT_OUT ? null : fieldId(field)]),
    ),
  };
}

function afterStart(context: GroupContext, job: Job | null) {
  return job === null
    ? redirect(context.link("/refused-calls"))
    : redirect(jobLink(context, job), "The job has started.");
}

const replayGroupPage = page({
  path: "/{account}/refused-calls/group/replay",
  role: "editor",
  show: (context) => showStep(context, "replay", replay, (preview) => correctionFields(context, preview)),
  forms: {
    replay: async (context) => {
      const given = { ...oneGroup(context), ...correctionsIn(context) };
      return afterStart(context, (await context.performHere(replayRefusalGroup, given)).job);
    },
  },
});

const dismissGroupPage = page({
  path: "/{account}/refused-calls/group/dismissal",
  role: "editor",
  show: (context) => showStep(context, "dismiss", dismiss),
  forms: {
    dismiss: async (context) =>
      afterStart(context, (await context.performHere(dismissRefusalGroup, oneGroup(context))).job),
  },
});

export const refusalGroupPages = [refusalGroupPage, replayGroupPage, dismissGroupPage];
