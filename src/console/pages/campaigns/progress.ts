/**
 * How far the sending of a campaign got: progress, speed, time left, numbers per state, and why it waits.
 * While it may change, a stream sends it again whenever it has; when the header of the page would be another
 * one, the page is shown again.
 */
import { type Sending, showSending } from "#admin/campaigns/send.ts";
import { sentence } from "#admin/error-texts.ts";
import type { Clock } from "#domain/clocks.ts";
import { hasEnded, laterStart } from "#domain/sending/mailing.ts";
import { DEFERRED_HOURS } from "#domain/sending/recipient.ts";
import { live, notice, progress } from "#html/components/feedback.ts";
import { stats } from "#html/components/figures.ts";
import { type Html, html } from "#html/html.ts";
import type { Sleep } from "#jobs/sleep.ts";
import { goneAsNull } from "../../kit/errors.ts";
import type { Formats } from "../../kit/formats.ts";
import { withQuery } from "../../kit/listing.ts";
import { liveEvents } from "../../kit/live-events.ts";
import { eventPage, type PageContext } from "../../kit/page.ts";
import { left as timeLeft } from "../imports/progress.ts";
import { addressOf, ofCampaign } from "./campaign-header.ts";
import { headerOf, isWaiting, percentOf, recipientStateName, recipientStates } from "./state.ts";

const CANCELLED = "The campaign was cancelled";

/** Where the numbers lead to. */
type Links = Pick<PageContext, "link">;

/** What changes by itself. In other states, an operator must do something. */
const isLive = ({ state, counts, isRetrying }: Sending): boolean =>
  ["scheduled", "selecting", "sending"].includes(state) || counts.sending > 0 || isRetrying;

/** Nothing is to be sent until the time of the next attempt, which may be hours away. */
const onlyDeferred = ({ state, counts }: Sending): boolean =>
  state === "sending" && counts.queued + counts.sending === 0 && counts.deferred > 0;

function words(sending: Sending, formats: Formats, now: number): string {
  const { number, count, zonedDateTime } = formats;
  const percent = percentOf(sending, formats);
  const { state, progress: at } = sending;
  const start = laterStart(sending, now);
  if (state === "scheduled")
    return start === null ? "It starts within a few seconds." : `It starts on ${zonedDateTime(start)}.`;
  if (state === "selecting") return "The recipients are being selected.";
  const all = [
    ...(percent === null ? [] : [percent]),
    `${number(at.done)} of ${count(at.total, "recipient")}`,
  ];
  // The rate is about the messages before.
  if (onlyDeferred(sending)) return all.join(" · ");
  return [
    ...all,
    ...(at.perSecond === null ? [] : [`${number(at.perSecond)} per second`]),
    ...(at.secondsLeft === null ? [] : [timeLeft(at.secondsLeft)]),
  ].join(" · ");
}

function reasonOf(sending: Sending, { zonedDateTime, number, count }: Formats, now: number): Html | null {
  const continues = (at: number | null) => `It continues by itself at ${zonedDateTime(at ?? now)}.`;
  const { state, reason, waitsFor, waitsUntil, startedAt, counts } = sending;
  if (waitsFor === "daily limit")
    return notice("info", "The campaign waits for the daily limit of its sender", continues(waitsUntil));
  if (waitsFor === "domain limit") {
    const text = `${continues(waitsUntil)} Until then, ${reason ?? ""}.`;
    return notice("info", "The campaign waits for a limit of its sender", text);
  }
  if (isWaiting(sending))
    return notice(
      "warning",
      "The relay does not accept messages now",
      `${reason === null ? "" : sentence(reason)} The campaign tries again by itself, next at ${zonedDateTime(waitsUntil ?? now)}. To try at once, pause and resume it.`,
    );
  if (state === "sending" && sending.progress.relayPerSecond !== null)
    return notice(
      "info",
      `The relay accepts about ${rateText(sending.progress.relayPerSecond, number)}`,
      "It refused messages because they came too fast, so Mailroll keeps to what it accepts, and now and then tries a little more. Nobody is left out.",
    );
  if (onlyDeferred(sending))
    return notice(
      "info",
      `${count(counts.deferred, "recipient waits", "recipients wait")}: the relay asked to try again later`,
      `Mailroll does so by itself, at growing intervals. Whoever is still deferred ${number(DEFERRED_HOURS)} hours after the first attempt counts as failed.`,
    );
  if (state === "paused")
    return notice(
      "warning",
      "The campaign is paused",
      reason === null ? "Nobody gets it until somebody resumes it." : sentence(reason),
    );
  if (state === "held")
    return notice("warning", "The campaign is held until somebody resumes it", reason && sentence(reason));
  if (state === "cancelled" && startedAt === null)
    return notice("info", CANCELLED, "It had not started, so nobody got it.");
  const left = counts.queued + counts.deferred;
  if (state === "cancelled" && left > 0)
    return notice("info", CANCELLED, `${count(left, "recipient")} did not get it.`);
  return null;
}

const rateText = (rate: number, number: Formats["number"]): string =>
  rate === 1 ? "1 message a second" : `${number(rate)} messages a second`;

const tones = { failed: "bad", unknown: "warning" } as const;

/** Whether there is no mail server. An open page asks for its progress with this in the address. */
interface Delivery {
  readonly isWritten: boolean;
}
const FILES = "files";

/** The states that have recipients, and who got it. */
function numbersOf(
  context: Links & Delivery,
  { campaign, state: own, counts, bouncedCount }: Sending,
  { number }: Formats,
): Html {
  return stats(
    recipientStates
      .filter((state) => counts[state] > 0 || state === "sent")
      .map((state) => ({
        label: recipientStateName(state, own, context.isWritten)[0],
        value: number(counts[state]),
        href: `${addressOf(context, campaign)}/recipients?state=${state}`,
        tone: counts[state] > 0 && state in tones ? tones[state as keyof typeof tones] : null,
        detail: state === "failed" && bouncedCount > 0 ? `${number(bouncedCount)} of them bounced` : null,
      })),
  );
}

function shown(context: Links & Delivery, sending: Sending, formats: Formats, now: number): Html {
  const { state, progress: at, selected } = sending;
  const isOpen = state === "scheduled" || state === "selecting" || selected === 0;
  const bar = progress({
    label: "Sending progress",
    done: at.done,
    total: isOpen ? null : at.total,
    text: words(sending, formats, now),
  });
  return html`<div class="stack">${reasonOf(sending, formats, now)}${
    state === "scheduled" ? html`<p>${words(sending, formats, now)}</p>` : hasEnded(state) ? null : bar
  }${selected === 0 ? null : numbersOf(context, sending, formats)}</div>`;
}

/** Of a campaign that is not a draft. */
export function sendingPart(
  context: Pick<PageContext, "link" | "path" | "formats" | "now"> & Delivery,
  sending: Sending,
): Html {
  const { formats, now, path } = context;
  const body = shown(context, sending, formats, now);
  if (!isLive(sending)) return body;
  const stream = withQuery(`${addressOf(context, sending.campaign)}/events`, {
    header: headerOf(sending),
    ...(context.isWritten ? { [FILES]: "yes" } : {}),
  });
  return html`<div class="stack">${live(stream, body, { label: "Reload to see the progress", href: path })}<p class="field-hint">You can close this page. The campaign continues, also after a restart of the service.</p></div>`;
}

const PATH = "/{account}/campaigns/{campaign}/events";

/** Until the header of the page is not right any more. */
export const sendingEvents = ({ clock }: { readonly clock: Clock }, pause?: Sleep) =>
  eventPage({
    path: PATH,
    role: "viewer",
    events: (context, signal) => {
      const isWritten = context.query.has(FILES);
      const look = async () => {
        const sending = await context.performHere(showSending, ofCampaign(context)).catch(goneAsNull);
        const isSame = sending !== null && headerOf(sending) === context.query.get("header");
        return isSame && isLive(sending)
          ? { data: shown({ ...context, isWritten }, sending, context.formats, clock()).html }
          : { end: "" };
      };
      return liveEvents(look, signal, pause);
    },
  });
