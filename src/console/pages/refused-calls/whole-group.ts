/**
 * `/console/{account}/refused-calls/group/replay` and `…/dismissal`: says how many calls it is about and what
 * will happen; then a job does it.
 */
import {
  dismissRefusalGroup,
  type OneGroup,
  previewRefusalGroup,
  replayRefusalGroup,
} from "#admin/refusals/groups.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { jobLink } from "../jobs/job-progress.ts";
import { aboutOf } from "./call-arguments.ts";
import { groupIn, groupLink } from "./group-address.ts";
import { reasonTitle } from "./reasons.texts.ts";
import * as texts from "./refused-calls.texts.ts";

type GroupVisit = Visit<"/{account}">;
type Preview = Awaited<ReturnType<typeof previewOf>>;

interface Step {
  readonly title: string;
  readonly consequences: readonly string[];
  readonly confirm: string;
  readonly isDangerous: boolean;
}

const oneGroup = (visit: GroupVisit): OneGroup => ({ account: visit.account.id, ...groupIn(visit) });
const previewOf = (visit: GroupVisit) => visit.perform(previewRefusalGroup, oneGroup(visit));

/** Of a group that has become empty, only that. */
function stepBody(visit: GroupVisit, form: string, step: Step, { count, isMore }: Preview): Html {
  const back = groupLink(visit, groupIn(visit));
  if (count === 0) return html`<p>${texts.nothingLeft}</p>`;
  const buttons = buttonRow(
    button({ label: step.confirm, emphasis: step.isDangerous ? "danger" : "primary" }),
    buttonLink({ label: texts.cancel, href: back, emphasis: "quiet" }),
  );
  return confirmation({
    title: texts.whatHappens,
    affected: texts.affected(visit.formats.number(count), isMore),
    consequences: step.consequences,
    isDangerous: step.isDangerous,
    body: formOf(form, { shown: visit.shown(form), isOnce: true, body: buttons }),
  });
}

async function showStep(visit: GroupVisit, form: string, step: Step) {
  const { formats, link, now } = visit;
  const group = groupIn(visit);
  const preview = await previewOf(visit);
  const sample = table({
    caption: texts.newest,
    rows: preview.sample,
    href: ({ id }) => link(`/refused-calls/${id}`),
    columns: [
      { label: texts.call, cell: aboutOf },
      { label: texts.times, cell: ({ count }) => formats.number(count), isNumber: true },
      { label: texts.lastRefused, cell: ({ lastAt }) => formats.ago(lastAt, now) },
    ],
  });
  return content(
    step.title,
    html`${pageHeader({
      title: step.title,
      parent: { label: reasonTitle(group.outcome), href: groupLink(visit, group) },
      description: html`<code>${group.operation}</code>`,
    })}
${stepBody(visit, form, step, preview)}
${preview.sample.length === 0 ? null : section(texts.newest, sample)}`,
  );
}

const replay: Step = {
  title: texts.replayTitle,
  consequences: texts.replayConsequences,
  confirm: texts.confirmReplay,
  isDangerous: false,
};
const dismiss: Step = {
  title: texts.dismissTitle,
  consequences: texts.dismissConsequences,
  confirm: texts.confirmDismiss,
  isDangerous: true,
};

async function start(visit: GroupVisit, action: typeof replayRefusalGroup | typeof dismissRefusalGroup) {
  const { job } = await visit.perform(action, oneGroup(visit));
  return job === null ? redirect(visit.link("/refused-calls")) : redirect(jobLink(visit, job), texts.started);
}

export const replayGroupPage = page({
  path: "/{account}/refused-calls/group/replay",
  role: "editor",
  show: (visit) => showStep(visit, "replay", replay),
  forms: { replay: { submit: (visit) => start(visit, replayRefusalGroup) } },
});

export const dismissGroupPage = page({
  path: "/{account}/refused-calls/group/dismissal",
  role: "editor",
  show: (visit) => showStep(visit, "dismiss", dismiss),
  forms: { dismiss: { submit: (visit) => start(visit, dismissRefusalGroup) } },
});
