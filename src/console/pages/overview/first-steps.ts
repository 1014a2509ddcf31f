/** What to do first in an account without lists or subscribers. */
import { buttonLink } from "#html/components/buttons.ts";
import { checklist } from "#html/components/checklist.ts";
import { section } from "#html/components/page-header.ts";
import type { Html } from "#html/html.ts";
import type { Growth } from "../growth/growth.ts";
import * as texts from "./overview.texts.ts";
import type { OverviewVisit, Shown } from "./shown.ts";

/** Calls may have been made already: a program can unsubscribe an address that was never on a list. */
export const needsFirstSteps = ({ lists, activeSubscribers }: Shown, { joined }: Growth): boolean =>
  lists === 0 || (activeSubscribers === 0 && joined === 0);
/** Whether any number is not zero. */
export const hasFigures = ({ activeSubscribers, refusedCalls }: Shown, { joined, left }: Growth): boolean =>
  activeSubscribers + refusedCalls + joined + left > 0;

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
  return section(texts.firstSteps, list, { description: texts.firstStepsDescription });
}
