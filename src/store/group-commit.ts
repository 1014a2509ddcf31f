/**
 * Group commit: writes that arrive during a commit are committed together in the next one. There is no timer.
 * A write joins those that arrive in the same turn of the event loop, so groups grow with the load, up to a
 * limit; beyond it, accounts go in rotation, and callers go before background work. Does not depend on what a
 * group contains.
 */
import { setImmediate } from "node:timers/promises";
import { CallersFirst, type PriorityShare } from "./callers-first.ts";

export type Settled<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: Error };

interface Waiting<Command, Result> {
  readonly command: Command;
  readonly resolve: (value: Result) => void;
  readonly reject: (error: Error) => void;
}

type Answer = () => void;

export class GroupCommit<Command, Result> {
  readonly #commit: (group: readonly Command[]) => Promise<readonly Settled<Result>[]>;
  readonly #onCommit: (writes: number, ms: number) => void;
  readonly #waiting: CallersFirst<Waiting<Command, Result>>;
  #running: Promise<void> | null = null;
  #groups = 0;
  /** Called when a group is committed. */
  readonly #passing = new Set<() => void>();

  constructor(
    commit: (group: readonly Command[]) => Promise<readonly Settled<Result>[]>,
    { ownerOf, workOf, isBackground }: PriorityShare<Command>,
    onCommit: (writes: number, ms: number) => void = () => {},
  ) {
    this.#commit = commit;
    this.#waiting = new CallersFirst({
      ownerOf: ({ command }) => ownerOf(command),
      workOf: ({ command }) => workOf(command),
      isBackground: ({ command }) => isBackground(command),
    });
    this.#onCommit = onCommit;
  }

  /** How many commands wait for the next group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** How many groups have been committed. */
  get groups(): number {
    return this.#groups;
  }

  /** Resolves or rejects after the commit that contains the command. */
  submit(command: Command): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ command, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when every command submitted so far has resolved or rejected. */
  async drained(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Resolves when `groups` more groups are committed, or after `limitMs`. */
  passed(groups: number, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      let left = groups;
      const end = (): void => {
        clearTimeout(timer);
        this.#passing.delete(count);
        resolve();
      };
      const count = (): void => {
        left -= 1;
        if (left === 0) end();
      };
      const timer = setTimeout(end, limitMs);
      this.#passing.add(count);
    });
  }

  /** The answers of a group are delivered while the next one commits: delivery takes about as long. */
  async #run(): Promise<void> {
    let answerLast: Answer = () => {};
    do {
      // Reads calls that have already arrived first: the larger a group, the less each command costs.
      await setImmediate();
      if (this.#waiting.isIdle) {
        // Callers who were waiting for the last group may have a next call: they go first.
        answerLast();
        answerLast = () => {};
        await setImmediate();
      }
      const committing = this.#commitGroup(this.#waiting.take());
      answerLast();
      answerLast = await committing;
      this.#groups += 1;
      for (const count of this.#passing) count();
    } while (this.#waiting.length > 0);
    answerLast();
    this.#running = null;
  }

  /** Never rejects. Resolves with the function that answers the callers. */
  async #commitGroup(group: readonly Waiting<Command, Result>[]): Promise<Answer> {
    try {
      const began = performance.now();
      const results = await this.#commit(group.map(({ command }) => command));
      this.#onCommit(group.length, performance.now() - began);
      return () => {
        for (const [index, { resolve, reject }] of group.entries()) {
          const result = results[index];
          if (result === undefined) reject(new Error("the commit returned no result for a write"));
          else if (result.ok) resolve(result.value);
          else reject(result.error);
        }
      };
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      return () => {
        for (const { reject } of group) reject(cause);
      };
    }
  }
}
