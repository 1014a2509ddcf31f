/** How far the sending of a campaign got, how fast it is, and how long it will take. */
import type { Mailing } from "../../../domain/sending/mailing.ts";
import { endStates } from "../../../domain/sending/recipient.ts";
import { rateOf } from "./rate.ts";

export interface Progress {
  /** Recipients with whom nothing is left to do. */
  readonly done: number;
  readonly total: number;
  /** Recipients dealt with per second; null: not known, or nothing is being sent. */
  readonly perSecond: number | null;
  /** null: not known. */
  readonly secondsLeft: number | null;
}
export interface Sending extends Mailing {
  readonly progress: Progress;
}

export const doneOf = ({ counts }: Mailing): number =>
  endStates.reduce((sum, state) => sum + counts[state], 0);

/** `of` identifies the process's view of the installation: rates are measured by looking repeatedly. */
export function withProgress(mailing: Mailing, now: number, of: object): Sending {
  const [done, total] = [doneOf(mailing), mailing.selected];
  const perSecond = mailing.state === "sending" ? rateOf(of, mailing, done, now) : null;
  const left = total - done;
  const secondsLeft = perSecond === null || perSecond === 0 ? null : Math.ceil(left / perSecond);
  return { ...mailing, progress: { done, total, perSecond, secondsLeft } };
}
