/**
 * Group commit: writes that arrive during a commit are committed together in the next one. There is no timer.
 * A write joins the writes that arrive in the same turn of the event loop, so groups grow with the load, up
 * to a limit; beyond it, accounts go in rotation. Does not depend on what a group contains.
 */
import { setImmediate } from "node:timers/promises";
import type { StoreWatch } from "#domain/ports/store.ts";
import type { CallGroups } from "./callers-first.ts";
import { FairQueue, type Share } from "./fair-queue.ts";

export type Settled<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: Error };

interface Waiting<Command, Result> {
  readonly command: Command;
  /** When it was submitted, by `performance.now()`. */
  readonly since: number;
  readonly resolve: (value: Result) => void;
  readonly reject: (error: Error) => void;
}

type Answer = () => void;
/** `since`: when the first of them was submitted, by `performance.now()`. */
type Commit<Command, Result> = (
  group: readonly Command[],
  since: number,
) => Promise<readonly Settled<Result>[]>;

export class GroupCommit<Command, Result> implements CallGroups {
  readonly #commit: Commit<Command, Result>;
  readonly #watch: StoreWatch | null;
  readonly #waiting: FairQueue<Waiting<Command, Result>>;
  #running: Promise<void> | null = null;
  #groups = 0;
  /** Called when a group is committed. */
  readonly #awaited = new Set<() => void>();

  constructor(
    commit: Commit<Command, Result>,
    { ownerOf, workOf }: Share<Command>,
    watch: StoreWatch | null = null,
  ) {
    this.#commit = commit;
    this.#waiting = new FairQueue({
      ownerOf: ({ command }) => ownerOf(command),
      workOf: ({ command }) => workOf(command),
    });
    this.#watch = watch;
  }

  /** How many commands wait for the next group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  get groups(): number {
    return this.#groups;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Resolves or rejects after the commit that contains the command. */
  submit(command: Command): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ command, since: performance.now(), resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when every command submitted so far has resolved or rejected. */
  async drained(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  nextGroup(): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.add(resolve);
    });
  }

  /** The answers of a group are delivered while the next one commits: delivery takes about as long. */
  async #run(): Promise<void> {
    let answerLast: Answer = () => {};
    do {
      // Reads calls that have already arrived first: the larger a group, the less each command costs.
      await setImmediate();
      const committing = this.#commitGroup(this.#waiting.take());
      answerLast();
      answerLast = await committing;
      this.#groups += 1;
      for (const resolve of this.#awaited) resolve();
      this.#awaited.clear();
    } while (this.#waiting.length > 0);
    answerLast();
    this.#running = null;
  }

  /** Never rejects. Resolves with the function that answers the callers. */
  async #commitGroup(group: readonly Waiting<Command, Result>[]): Promise<Answer> {
    try {
      const began = performance.now();
      const results = await this.#commit(
        group.map(({ command }) => command),
        group.reduce((first, { since }) => Math.min(first, since), began),
      );
      this.#watch?.committed(group.length, performance.now() - began);
      return () => {
        for (const [index, { resolve, reject }] of group.entries()) {
          const result = results[index];
          if (result === undefined) reject(new Error("the commit returned no result for a write"));
          else if (result.ok) resolve(result.value);
          else this.#reject(reject, result.error);
        }
      };
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      return () => {
        for (const { reject } of group) this.#reject(reject, cause);
      };
    }
  }

  #reject(reject: (error: Error) => void, error: Error): void {
    this.#watch?.failed(error);
    reject(error);
  }
}
