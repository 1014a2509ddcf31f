/**
 * Background work gives way to calls. Its steps run one after the other. While this or another process writes
 * calls, a step waits before it begins: three times as long as the last step kept others from writing, and
 * until three groups of this process's calls are committed. So jobs get at most one commit in four, and a
 * quarter of the time. If no caller writes, there is no pause. This class does not know what a step does.
 */

/** How many groups of calls go before a step; also the length of the pause, in durations of the last step. */
export const CALL_GROUPS = 3;

/** The result of a step that was committed, and how it affected other writers. */
export interface CommittedStep {
  readonly value: unknown;
  /** How long others could not write. Does not include how long it waited for others. */
  readonly heldMs: number;
  /** Whether another process has written since the step before. */
  readonly othersWrote: boolean;
  /** How many groups of calls are its own; none if it is committed by itself. */
  readonly ownGroups?: number;
}

/** The writes of callers, committed in groups. `GroupCommit` implements it. */
export interface CallGroups {
  /** How many have been committed. */
  readonly groups: number;
  /** Whether one is being committed, or calls wait for the next. */
  readonly isBusy: boolean;
  /** Resolves when one more is committed. */
  nextGroup(): Promise<void>;
}

export class CallersFirst {
  readonly #calls: CallGroups;
  #last: Promise<unknown> = Promise.resolve();
  #groupsBefore = 0;
  #othersWrote = false;
  /** Until when the time belongs to callers, by `performance.now()`. */
  #resumeAt = 0;

  constructor(calls: CallGroups) {
    this.#calls = calls;
  }

  /** Resolves with the value of the step. */
  run(step: () => Promise<CommittedStep>): Promise<unknown> {
    const value = this.#last.then(async () => {
      await this.#letCallersGo();
      const groupsBefore = this.#calls.groups;
      this.#groupsBefore = groupsBefore;
      const committed = await step();
      this.#groupsBefore = groupsBefore + (committed.ownGroups ?? 0);
      this.#othersWrote = committed.othersWrote;
      this.#resumeAt = performance.now() + CALL_GROUPS * committed.heldMs;
      return committed.value;
    });
    this.#last = value.catch(() => null);
    return value;
  }

  /** Resolves when every step submitted so far has resolved or rejected. */
  async drained(): Promise<void> {
    await this.#last;
  }

  async #letCallersGo(): Promise<void> {
    const calls = this.#calls;
    if (!this.#othersWrote && !calls.isBusy && calls.groups === this.#groupsBefore) return;
    const enough = calls.groups + CALL_GROUPS;
    const pauseMs = this.#resumeAt - performance.now();
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    while (calls.isBusy && calls.groups < enough) await calls.nextGroup();
  }
}
