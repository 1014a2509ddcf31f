/** How a campaign and its sending are shown, once or while it is being sent. */
import { showSending } from "#admin/campaigns/sending/progress.ts";
import { stateText } from "#admin/campaigns/sending/states.ts";
import type { Sending } from "#admin/campaigns/sending/with-progress.ts";
import { hasEnded } from "#domain/sending/mailing.ts";
import { recipientStates } from "#domain/sending/recipient.ts";
import { sleep } from "#jobs/sleep.ts";
import { type Context, Failure } from "../../kit/command.ts";
import { interruptible } from "../../kit/signals.ts";
import { formatNumber } from "../../kit/terminal/numbers.ts";
import { moment } from "../../kit/terminal/output.ts";
import { duration } from "../../kit/terminal/progress-text.ts";

const LOOK_MS = 1000;
/** What a campaign says in place of its state while it waits for a limit. */
const limited = ({ waitsFor }: Sending): string | null => {
  if (waitsFor === "daily limit") return "waits for the daily limit of its sender";
  return waitsFor === "domain limit" ? "waits for a limit of its sender" : null;
};

/** Such as "1,200 of 10,000 (12%), 95/s, 2 min left". */
export function progressOf({ progress }: Sending): string {
  const { done, total, perSecond, secondsLeft } = progress;
  return [
    `${formatNumber(done)} of ${formatNumber(total)}${total === 0 ? "" : ` (${Math.floor((done / total) * 100)}%)`}`,
    ...(perSecond === null ? [] : [`${formatNumber(perSecond)}/s`]),
    ...(secondsLeft === null ? [] : [`${duration(secondsLeft)} left`]),
  ].join(", ");
}

export function sendingLines(sending: Sending): readonly string[] {
  const { counts, bouncedCount, reason, waitsFor, waitsUntil, scheduledAt, startedAt, endedAt, selected } =
    sending;
  const limit = limited(sending);
  return [
    `State         ${limit === null ? stateText(sending) : `${limit} until ${moment(waitsUntil)}`}`,
    // The state has said it already.
    ...(reason === null || waitsFor === "daily limit" ? [] : [`Reason        ${reason}`]),
    ...(waitsFor === "relay" ? [`Next try      ${moment(waitsUntil)}`] : []),
    ...(scheduledAt === null ? [] : [`Scheduled     ${moment(scheduledAt)}`]),
    ...(startedAt === null ? [] : [`Started       ${moment(startedAt)}`]),
    ...(endedAt === null ? [] : [`Ended         ${moment(endedAt)}`]),
    ...(selected === 0
      ? []
      : [
          `Progress      ${progressOf(sending)}`,
          ...recipientStates
            .filter((state) => counts[state] > 0)
            .map((state) => `  ${state.padEnd(12)}${formatNumber(counts[state])}`),
          ...(bouncedCount === 0 ? [] : [`  bounced     ${formatNumber(bouncedCount)}`]),
        ]),
  ];
}

/** Shows the progress until the campaign is not being sent any more. */
export async function watch(context: Context, one: { account: number; campaign: number }): Promise<void> {
  const { perform, out } = context;
  await interruptible(new Failure("stopped watching; the campaign goes on"), async (signal) => {
    for (;;) {
      const sending = await perform(showSending, one);
      if (hasEnded(sending.state) || ["draft", "paused", "held"].includes(sending.state)) break;
      out.progress(`${limited(sending) ?? sending.state} ${progressOf(sending)}`);
      await sleep(LOOK_MS, signal);
      signal.throwIfAborted();
    }
  }).finally(() => out.progress(null));
}
