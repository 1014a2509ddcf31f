/** Resumes or cancels a campaign, or tries recipients again: each on a page that says what happens. */
import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { showContent } from "#admin/campaigns/sending/compose.ts";
import { previewRetry, retryCampaign } from "#admin/campaigns/sending/ledger.ts";
import type { Sending } from "#admin/campaigns/sending/progress.ts";
import { cancelCampaign, resumeCampaign } from "#admin/campaigns/sending/send.ts";
import { listLists } from "#admin/lists.ts";
import { allRows } from "#console/kit/all-rows.ts";
import type { Formats } from "#console/kit/formats.ts";
import { hidden } from "#console/kit/forms/form.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { type Answer, content, page, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import { redirectAfter } from "#console/pages/jobs/job-progress.ts";
import type { Campaign } from "#domain/campaign.ts";
import type { List, ListId } from "#domain/list.ts";
import { laterStart, type MailingState, mayCancel, mayChange, mayRetry } from "#domain/sending/mailing.ts";
import { type RetriedState, retriedStates } from "#domain/sending/recipient.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { addressOf, countOf, ofCampaign } from "../../campaign-header.ts";
import * as texts from "./change-state.texts.ts";
import { scheduled, started } from "./send.texts.ts";

const BELOW = "/{account}/campaigns/{campaign}";
type StepVisit = Visit<typeof BELOW>;

interface Question {
  readonly form: string;
  readonly title: string;
  readonly question: string;
  readonly affected: string;
  readonly consequences: readonly string[];
  readonly isDangerous: boolean;
  readonly confirm: string;
  readonly keep?: string;
  readonly fields?: Html | null;
}

/** `isPossible`: otherwise the page of the campaign says in which state it is. */
async function ask(
  visit: StepVisit,
  isPossible: (sending: Sending) => boolean,
  make: (campaign: Campaign, sending: Sending) => Question | Promise<Question>,
): Promise<Answer> {
  const found = await visit.perform(briefCampaign, ofCampaign(visit));
  const { sending } = found;
  const own = addressOf(visit, found.id);
  if (sending === null) return redirect(own);
  const step = await make(found, sending);
  // After a form that was refused, the page says why.
  if (!isPossible(sending) && !visit.shown(step.form).isRefused) return redirect(own);
  const buttons = buttonRow(
    button({ label: step.confirm, emphasis: step.isDangerous ? "danger" : "primary" }),
    buttonLink({ label: step.keep ?? texts.back, href: own, emphasis: "quiet" }),
  );
  return content(
    step.title,
    html`${pageHeader({ title: step.title, parent: { label: found.name, href: own } })}
${confirmation({
  title: step.question,
  affected: step.affected,
  consequences: step.consequences,
  isDangerous: step.isDangerous,
  body: formOf(step.form, {
    shown: visit.shown(step.form),
    isOnce: true,
    body: html`${step.fields ?? null}${buttons}`,
  }),
})}`,
  );
}

const leftOf = ({ progress }: Sending): number => progress.total - progress.done;

/** One that was not started is scheduled. */
function resumedText(sending: Sending, { formats, now }: Pick<StepVisit, "formats" | "now">): string {
  if (sending.state !== "scheduled") return texts.resume.done;
  const later = laterStart(sending, now);
  return later === null ? started : scheduled(formats.zonedDateTime(later));
}

type Words = Pick<Question, "question" | "affected" | "consequences">;

/** The lists that are named; there may be hundreds. */
const NAMED = 5;
function listNames(ids: readonly ListId[], all: readonly List[], { number }: Formats): string {
  const named = ids.slice(0, NAMED).map((id) => {
    const list = all.find((one) => one.id === id);
    return list === undefined ? String(id) : texts.resumeStart.list(list.name, number(list.members));
  });
  const others = ids.length - named.length;
  return [...named, ...(others === 0 ? [] : [texts.resumeStart.others(number(others))])].join(", ");
}

/** How many are selected already says nothing: the rest is selected before anything is sent. */
async function startingWords(visit: StepVisit, { state, reason, scheduledAt }: Sending): Promise<Words> {
  const { formats, now, account } = visit;
  const words = texts.resumeStart;
  const { lists, excludedLists } = (await visit.perform(showContent, ofCampaign(visit))).content;
  const all = await allRows(visit, listLists, { account: account.id });
  const later = laterStart({ state: "scheduled", scheduledAt }, now);
  return {
    question: later === null ? words.question : words.questionLater,
    affected: words.affected,
    consequences: [
      ...(reason === null ? [] : [words.reason(reason)]),
      later === null ? words.atOnce : words.startsAt(formats.zonedDateTime(later)),
      words.lists(listNames(lists, all, formats)),
      ...(excludedLists.length === 0 ? [] : [words.excluded(listNames(excludedLists, all, formats))]),
      ...(state === "held" ? [words.held] : []),
    ],
  };
}

const continuingWords = ({ formats }: StepVisit, sending: Sending): Words => ({
  question: texts.resume.question,
  affected: texts.resume.affected(formats.number(leftOf(sending))),
  consequences: [
    ...(sending.reason === null ? [] : [texts.resume.reason(sending.reason)]),
    texts.resume.goesOn,
    sending.state === "held" ? texts.resume.held : texts.resume.once,
  ],
});

export const resumePage = page({
  path: `${BELOW}/resume`,
  role: "owner",
  show: (visit) =>
    ask(
      visit,
      ({ state }) => mayChange("resume", state),
      async ({ name }, sending) => ({
        form: "resume",
        title: texts.resume.title(name),
        ...(sending.startedAt === null
          ? await startingWords(visit, sending)
          : continuingWords(visit, sending)),
        isDangerous: sending.state === "held",
        confirm: texts.resume.confirm,
      }),
    ),
  forms: {
    resume: {
      submit: async (visit) => {
        const sending = await visit.perform(resumeCampaign, ofCampaign(visit));
        return redirect(addressOf(visit, visit.params.campaign), resumedText(sending, visit));
      },
    },
  },
});

function insteadOfCancel(state: MailingState): string {
  if (mayChange("pause", state)) return texts.cancel.pauseInstead;
  return mayChange("unschedule", state) ? texts.cancel.unscheduleInstead : texts.cancel.noReturn;
}
function cancelWords({ formats }: StepVisit, sending: Sending): Words {
  if (sending.isRetrying)
    return {
      question: texts.cancelRetry.question,
      affected: texts.cancelRetry.affected,
      consequences: [texts.cancelRetry.stops],
    };
  const hasStarted = sending.startedAt !== null;
  return {
    question: texts.cancel.question,
    affected: hasStarted ? texts.cancel.affected(formats.number(leftOf(sending))) : texts.cancel.nobody,
    consequences: [hasStarted ? texts.cancel.stops : texts.cancel.notStarted, insteadOfCancel(sending.state)],
  };
}

export const cancelPage = page({
  path: `${BELOW}/cancel`,
  role: "owner",
  show: (visit) =>
    ask(visit, mayCancel, ({ name }, sending) => ({
      form: "cancel",
      title: texts.cancel.title(name),
      isDangerous: true,
      confirm: texts.cancel.confirm,
      keep: texts.cancel.keep,
      ...cancelWords(visit, sending),
    })),
  forms: {
    cancel: {
      submit: async (visit) => {
        await visit.perform(cancelCampaign, ofCampaign(visit));
        return redirect(addressOf(visit, visit.params.campaign), texts.cancel.done);
      },
    },
  },
});

const retried = (text: string | null): RetriedState =>
  retriedStates.find((state) => state === text) ?? "failed";

export const retryPage = page({
  path: `${BELOW}/retry`,
  role: "owner",
  show: (visit) => {
    const state = retried(visit.query.get("state"));
    return ask(
      visit,
      (sending) => mayRetry(sending) && sending.counts[state] > 0,
      async ({ name }, { counts }) => {
        const { count, isMore } = await visit.perform(previewRetry, {
          ...ofCampaign(visit),
          states: [state],
        });
        const { number } = visit.formats;
        return {
          form: "retry",
          title: texts.retry.title(name),
          question: texts.retry.question[state],
          affected: texts.retry.affected(countOf(visit, { count, hasMore: isMore })),
          consequences: [
            texts.retry.risk[state],
            ...(isMore || count === counts[state] ? [] : [texts.retry.others(number(counts[state] - count))]),
          ],
          isDangerous: true,
          confirm: texts.retry.confirm,
          fields: hidden("state", state),
        };
      },
    );
  },
  forms: {
    retry: {
      submit: async (visit) => {
        const { perform, form, formats, params } = visit;
        const states = [retried(form.text("state"))];
        const { count, isMore, job } = await perform(retryCampaign, { ...ofCampaign(visit), states });
        const done = texts.retry.done(countOf({ formats }, { count, hasMore: isMore }));
        return redirectAfter(visit, job, addressOf(visit, params.campaign), { done, begun: done });
      },
    },
  },
});
