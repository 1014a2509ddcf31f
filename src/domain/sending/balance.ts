/** Whether the counters of a mailing agree with the rows of its ledger and add up to what was selected. */
import type { Mailing } from "./mailing.ts";
import { endStates, type RecipientCounts, recipientStates } from "./recipient.ts";

const sumOf = (counts: RecipientCounts): number =>
  recipientStates.reduce((sum, state) => sum + counts[state], 0);

/**
 * When the rows were deleted, only the counters are left. Of a finished mailing, every recipient has an end.
 */
export function isBalanced(
  { state, counts, selected, purgedAt }: Pick<Mailing, "state" | "counts" | "selected" | "purgedAt">,
  rows: RecipientCounts,
): boolean {
  const isCounted = recipientStates.every((one) => counts[one] >= 0) && sumOf(counts) === selected;
  const agrees = purgedAt !== null || recipientStates.every((one) => counts[one] === rows[one]);
  const ended = endStates.reduce((sum, one) => sum + counts[one], 0);
  return isCounted && agrees && (state !== "finished" || ended === selected);
}
