/** The result of a rule: the outcome for the caller, and the changes to save. */

export interface Decision<Outcome extends string, Change> {
  readonly outcome: Outcome;
  readonly changes: readonly Change[];
}
