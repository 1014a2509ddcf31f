/** The refused calls of the model: repeats share one row, and no-ops are only counted. */
import { addressOf, areNamedIn } from "./addresses.ts";
import type { CallerCommand } from "./command.ts";

interface Refused {
  /** The addresses that the arguments contain. */
  about: readonly (string | undefined)[];
  operation: string;
  args: string;
  outcome: string;
  key: number | null;
  count: number;
  firstAt: number;
  lastAt: number;
}
export const keyOf = (origin: CallerCommand["origin"]): number | null =>
  origin.kind === "key" ? origin.key : null;
/** The key of a refused call; the driver uses the same one. */
export const wordsOf = ({ at: _at, origin: _origin, ...words }: CallerCommand): string =>
  JSON.stringify(words);

export class Refusals {
  #refused = new Map<string, Refused>();
  #noOps = new Map<string, number>();

  copy(): Refusals {
    const copy = new Refusals();
    copy.#refused = structuredClone(this.#refused);
    copy.#noOps = new Map(this.#noOps);
    return copy;
  }

  keep(command: CallerCommand, outcome: string): void {
    const { kind: operation, at } = command;
    if (outcome === "NotOnList" || outcome === "FieldExists") {
      const what = `${operation} ${outcome}`;
      this.#noOps.set(what, (this.#noOps.get(what) ?? 0) + 1);
      return;
    }
    const args = wordsOf(command);
    const before = this.#refused.get(args + outcome);
    this.#refused.set(args + outcome, {
      about: namedBy(command),
      operation,
      args,
      outcome,
      key: keyOf(command.origin),
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? at,
      lastAt: Math.max(before?.lastAt ?? at, at),
    });
  }

  /** Removes the calls that name the address; returns how many. */
  forget(key: string): number {
    const found = [...this.#refused].filter(([, { about }]) => about.includes(key));
    for (const [words] of found) this.#refused.delete(words);
    return found.length;
  }

  seen() {
    return {
      refusals: [...this.#refused.values()].map(({ about: _about, ...refused }) => refused).toSorted(byWords),
      noOps: Object.fromEntries(this.#noOps),
    };
  }
}

function namedBy(command: CallerCommand): readonly (string | undefined)[] {
  const names = command.kind === "add-with-data" ? [command.data.firstName, command.data.lastName] : [];
  const address = "email" in command ? addressOf(command.email)?.key : undefined;
  return [address, ...names.map((name) => areNamedIn.get(name))];
}

/** Sorted, because the order has no meaning. */
export const byWords = (
  one: { readonly args: string; readonly outcome: string },
  other: { readonly args: string; readonly outcome: string },
): number => (one.args + one.outcome < other.args + other.outcome ? -1 : 1);
