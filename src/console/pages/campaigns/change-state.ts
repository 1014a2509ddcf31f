/** Resumes or cancels a campaign, or tries recipients again: each on a page that says what happens. */

import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { showContent } from "#admin/campaigns/compose.ts";
import { previewRetry, retryCampaign } from "#admin/campaigns/ledger.ts";
import { cancelCampaign, resumeCampaign, type Sending } from "#admin/campaigns/send.ts";
import { sentence } from "#admin/error-texts.ts";
import { listLists } from "#admin/lists.ts";
import type { Campaign } from "#domain/campaign.ts";
import type { List, ListId } from "#domain/list.ts";
import { laterStart, type MailingState, mayCancel, mayChange, mayRetry } from "#domain/sending/mailing.ts";
import { type RetriedState, retriedStates } from "#domain/sending/recipient.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { quoted } from "#html/names.ts";
import { type FormState, hidden } from "../../kit/form.ts";
import { confirmPage, type ShownQuestion } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { allRows } from "../../kit/listing.ts";
import { type Content, type PageContext, type Redirect, redirect, titled } from "../../kit/page.ts";
import { redirectAfter } from "../jobs/job-progress.ts";
import { addressOf, countOf, ofCampaign } from "./campaign-header.ts";
import { scheduled, started } from "./send.ts";

export function recipients(count: string, state: RetriedState | null = null): string {
  const what = `${state === null ? "" : `${state} `}recipient`;
  return count === "1" ? `1 ${what}` : `${count} ${what}s`;
}
export const paused = "The campaign is paused. Messages that are being handed over are finished first.";
export const unscheduled = "The campaign is a draft again.";
const retryQuestions: Readonly<Record<RetriedState, string>> = {
  failed: "Send it again to all failed recipients?",
  unknown: "Send it again to all unknown recipients?",
};
const retryRisks: Readonly<Record<RetriedState, string>> = {
  failed:
    "The relay refused these messages. An address that does not exist may harm the reputation of the sender.",
  unknown: "Recipients who already got the message get it twice.",
};
const notRetried = (count: string): string =>
  `Not sent to ${recipients(count)} who bounced, opted out, complained, ${count === "1" ? "was" : "were"} blocked or left the lists. If the relay reported bounces by mistake, clear the bounces of the campaign first.`;

const BELOW = "/{account}/campaigns/{campaign}";
type StepContext = PageContext<typeof BELOW>;

/** `isPossible`: otherwise the page of the campaign says in which state it is. */
async function ask(
  context: StepContext,
  form: FormState,
  isPossible: (sending: Sending) => boolean,
  make: (campaign: Campaign, sending: Sending) => Promise<Omit<ShownQuestion, "parent"> | Content>,
): Promise<ShownQuestion | Content | Redirect> {
  const found = await context.performHere(briefCampaign, ofCampaign(context));
  const { sending } = found;
  const parent = { label: found.name, href: addressOf(context, found.id) };
  if (sending === null) return redirect(parent.href);
  const question = await make(found, sending);
  // After a form that was refused, the page says why.
  if (!isPossible(sending) && !form.isRefused) return redirect(parent.href);
  return "kind" in question ? question : { ...question, parent, isIdempotent: true };
}

const leftOf = ({ progress }: Sending): number => progress.total - progress.done;

/** A campaign that was not started is scheduled. */
function resumedText(sending: Sending, { formats, now }: Pick<StepContext, "formats" | "now">): string {
  if (sending.state !== "scheduled") return "The campaign continues within a few seconds.";
  const later = laterStart(sending, now);
  return later === null ? started : scheduled(formats.zonedDateTime(later));
}

type Words = Pick<ShownQuestion, "question" | "affected" | "consequences">;

/** The lists that are named; there may be hundreds. */
const NAMED = 5;
function listNames(ids: readonly ListId[], all: readonly List[], { number }: Formats): string {
  const named = ids.slice(0, NAMED).map((id) => {
    const list = all.find((one) => one.id === id);
    return list === undefined ? String(id) : `${quoted(list.name)} (${number(list.members)})`;
  });
  const others = ids.length - named.length;
  if (others === 0) return named.join(", ");
  return [...named, others === 1 ? "1 other list" : `${number(others)} other lists`].join(", ");
}

/**
 * No recipient has got it. How many are selected already says nothing: the rest is selected before anything
 * is sent.
 */
async function startingWords(context: StepContext, { state, reason, scheduledAt }: Sending): Promise<Words> {
  const { formats, now } = context;
  const { lists, excludedLists, filter } = (await context.performHere(showContent, ofCampaign(context)))
    .content;
  const all = await allRows(context, listLists);
  const later = laterStart({ state: "scheduled", scheduledAt }, now);
  return {
    question: later === null ? "Start this campaign?" : "Schedule this campaign again?",
    affected: `Everybody who is active on its lists${filter.length === 0 ? "" : " and matches its filter"} when it starts`,
    consequences: [
      ...(reason === null ? [] : [sentence(reason)]),
      later === null ? "It starts at once." : `It starts on ${formats.zonedDateTime(later)}.`,
      `Its lists, with their active subscribers now: ${listNames(lists, all, formats)}.`,
      ...(excludedLists.length === 0
        ? []
        : [`Subscribers of these lists do not get it: ${listNames(excludedLists, all, formats)}.`]),
      ...(state === "held"
        ? [
            "If the database was restored or copied, the original installation may have sent the campaign already. Check the log of the relay before you resume it.",
          ]
        : []),
    ],
  };
}

const continuingWords = ({ formats }: StepContext, sending: Sending): Words => ({
  question: "Continue sending?",
  affected: `${recipients(formats.number(leftOf(sending)))} left`,
  consequences: [
    ...(sending.reason === null ? [] : [sentence(sending.reason)]),
    "It continues where it stopped, within a few seconds.",
    sending.state === "held"
      ? "After a restore of the database, some recipients may have got it although they are counted as queued. Check the log of the relay before you resume it."
      : "Nobody who got it gets it again.",
  ],
});

const resumePage = confirmPage({
  path: `${BELOW}/resume`,
  role: "owner",
  form: "resume",
  show: (context, form) =>
    ask(
      context,
      form,
      ({ state }) => mayChange("resume", state),
      async ({ name }, sending) => ({
        title: `Resume ${quoted(name)}`,
        ...(sending.startedAt === null
          ? await startingWords(context, sending)
          : continuingWords(context, sending)),
        isDangerous: sending.state === "held",
        confirm: "Resume",
      }),
    ),
  submit: async (context) => {
    const sending = await context.performHere(resumeCampaign, ofCampaign(context));
    return redirect(addressOf(context, context.params.campaign), resumedText(sending, context));
  },
});

function insteadOfCancel(state: MailingState): string {
  if (mayChange("pause", state)) return "It cannot be resumed. To stop it for a while, pause it instead.";
  return mayChange("unschedule", state)
    ? "It cannot be resumed. To change the campaign or its time, unschedule it instead."
    : "It cannot be resumed.";
}
function cancelWords({ formats }: StepContext, sending: Sending): Words {
  // The campaign has ended, and failed or unknown recipients are about to be tried again.
  if (sending.isRetrying)
    return {
      question: "Stop the retry of this campaign?",
      affected: "Failed and unknown recipients stay as they are",
      consequences: ["Nobody is tried again. What was sent stays sent."],
    };
  const hasStarted = sending.startedAt !== null;
  return {
    question: "Cancel this campaign?",
    affected: hasStarted
      ? `${recipients(formats.number(leftOf(sending)))} will not get it`
      : "Nobody gets it",
    consequences: [
      hasStarted
        ? "Nobody else gets it. What was sent stays sent."
        : "It has not started, so nothing was sent.",
      insteadOfCancel(sending.state),
    ],
  };
}

const cancelPage = confirmPage({
  path: `${BELOW}/cancel`,
  role: "owner",
  form: "cancel",
  show: (context, form) =>
    ask(context, form, mayCancel, async ({ name }, sending) => ({
      title: `Cancel ${quoted(name)}`,
      isDangerous: true,
      confirm: "Cancel the campaign",
      keep: "Keep it",
      ...cancelWords(context, sending),
    })),
  submit: async (context) => {
    await context.performHere(cancelCampaign, ofCampaign(context));
    return redirect(addressOf(context, context.params.campaign), "The campaign is cancelled.");
  },
});

const retried = (text: string | null): RetriedState =>
  retriedStates.find((state) => state === text) ?? "failed";

const retryPage = confirmPage({
  path: `${BELOW}/retry`,
  role: "owner",
  form: "retry",
  show: (context, form) => {
    const state = retried(context.query.get("state"));
    return ask(
      context,
      form,
      (sending) => mayRetry(sending) && sending.counts[state] > 0,
      async ({ id, name }, { counts }) => {
        const { count, isMore } = await context.performHere(previewRetry, {
          ...ofCampaign(context),
          states: [state],
        });
        const { number } = context.formats;
        const title = `Retry ${quoted(name)}`;
        const parent = { label: name, href: addressOf(context, id) };
        if (count === 0 && !isMore)
          return titled(
            { title, parent },
            emptyState({
              title: "Nobody can be tried again",
              text: notRetried(number(counts[state])),
              icon: "check",
              actions: [buttonLink({ label: "Back to the campaign", href: parent.href, emphasis: "quiet" })],
            }),
          );
        return {
          title,
          question: retryQuestions[state],
          affected: recipients(countOf(context, { count, hasMore: isMore })),
          consequences: [
            retryRisks[state],
            ...(isMore || count === counts[state] ? [] : [notRetried(number(counts[state] - count))]),
          ],
          isDangerous: true,
          confirm: `Retry ${recipients(countOf(context, { count, hasMore: isMore }), state)}`,
          fields: hidden("state", state),
        };
      },
    );
  },
  submit: async (context) => {
    const { performHere, form, formats, params } = context;
    const states = [retried(form.text("state"))];
    const { count, isMore, job } = await performHere(retryCampaign, { ...ofCampaign(context), states });
    const tried = countOf({ formats }, { count, hasMore: isMore });
    const done =
      tried === "0" ? "Nobody is left to be tried again." : `${recipients(tried)} will be tried again.`;
    return redirectAfter(context, job, addressOf(context, params.campaign), { done, begun: done });
  },
});

export const stepPages = [resumePage, cancelPage, retryPage];
