/** What to do first in an account in which nobody is. */
import { buttonLink } from "../../../html/components/buttons.ts";
import { checklist } from "../../../html/components/checklist.ts";
import { section } from "../../../html/components/page-header.ts";
import { type Html, html } from "../../../html/html.ts";
import type { Growth } from "./growth.ts";
import * as texts from "./overview.texts.ts";
import { jobsPart, troublesPart } from "./parts.ts";
import type { OverviewVisit, Shown } from "./shown.ts";

/** Nobody is active, and nobody was in the days that are shown. */
export const isEmpty = ({ activeSubscribers }: Shown, { rows }: Growth): boolean =>
  activeSubscribers === 0 && rows.every(({ joined, left }) => joined === 0 && left === 0);

export function firstSteps(visit: OverviewVisit, shown: Shown): Html {
  const { may, link } = visit;
  const steps = [
    {
      title: texts.makeList,
      text: texts.makeListText,
      isDone: shown.lists > 0,
      action: may("editor") ? { label: texts.createList, href: link("/lists/new") } : null,
    },
    {
      title: texts.importPeople,
      text: texts.importPeopleText,
      isDone: shown.activeSubscribers > 0,
      action: may("editor") ? { label: texts.startImport, href: link("/imports") } : null,
    },
    {
      title: texts.connect,
      text: texts.connectText,
      isDone: shown.keys > 0,
      action: may("owner") ? { label: texts.createKey, href: link("/integrations/new") } : null,
    },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  const list = checklist(
    steps.map((step) => ({
      ...step,
      action:
        step.action === null || step.isDone
          ? null
          : buttonLink({ ...step.action, emphasis: step === next ? "primary" : "plain" }),
    })),
  );
  return html`${jobsPart(visit, shown)}
${section(texts.firstSteps, list, { description: texts.firstStepsDescription })}
${troublesPart(visit, shown)}`;
}
