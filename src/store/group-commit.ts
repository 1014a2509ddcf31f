/**
 * Writes that arrive while a commit runs travel together in the next one. There is no timer: a write goes
 * with those that have arrived by the same turn, and the busier it gets, the larger the groups, up to a
 * bound; beyond it, accounts go in rotation. What a group is made of is not known here.
 */
import { setImmediate } from "node:timers/promises";
import { FairQueue, type Share } from "./fair-queue.ts";

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
  readonly #waiting: FairQueue<Waiting<Command, Result>>;
  #running: Promise<void> | null = null;

  constructor(
    commit: (group: readonly Command[]) => Promise<readonly Settled<Result>[]>,
    { ownerOf, workOf }: Share<Command>,
    onCommit: (writes: number, ms: number) => void = () => {},
  ) {
    this.#commit = commit;
    this.#waiting = new FairQueue({
      ownerOf: ({ command }) => ownerOf(command),
      workOf: ({ command }) => workOf(command),
    });
    this.#onCommit = onCommit;
  }

  /** How many wait for the next group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Settles after the commit that holds the command. */
  submit(command: Command): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ command, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything submitted so far has been settled. */
  async drained(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** A group's answers are given while the next one commits: giving them takes about as long. */
  async #run(): Promise<void> {
    let answerLast: Answer = () => {};
    do {
      // Calls that have arrived already are read first: the larger a group, the less each of it costs.
      await setImmediate();
      const committing = this.#settle(this.#waiting.take());
      answerLast();
      answerLast = await committing;
    } while (this.#waiting.length > 0);
    answerLast();
    this.#running = null;
  }

  /** Resolves, whatever came of it, with how to tell those who wait. */
  async #settle(group: readonly Waiting<Command, Result>[]): Promise<Answer> {
    try {
      const began = performance.now();
      const results = await this.#commit(group.map(({ command }) => command));
      this.#onCommit(group.length, performance.now() - began);
      return () => {
        for (const [index, { resolve, reject }] of group.entries()) {
          const result = results[index];
          if (result === undefined) reject(new Error("a write was not answered"));
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
