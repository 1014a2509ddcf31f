/** What a rule gives back: the outcome for the caller, and what must be saved for it to be true. */

export interface Decision<Outcome extends string, Change> {
  readonly outcome: Outcome;
  readonly changes: readonly Change[];
}
