/**
 * Whether concurrent commands behaved as if they had run one after the other: searches for an order of them
 * that explains every outcome and the state afterwards. Commands of one node stay in their order.
 */
import { isDeepStrictEqual } from "node:util";
import type { CallerCommand, Interrupting, Outcome, Seen } from "./command.ts";
import type { Model } from "./model.ts";

/** How far an interrupting command is: what its first two parts returned. */
interface Begun {
  readonly prepared: number;
  readonly outcome: Outcome;
}
/**
 * Changes the model. Gives to the next action how far an interrupting command is, or null if the outcome of
 * this one was another.
 */
type Action = (model: Model, begun: Begun) => Begun | null;

export const callsOf = (calls: readonly CallerCommand[], outcomes: readonly Outcome[]): readonly Action[] =>
  calls.map((call, n) => (model, begun) => (isDeepStrictEqual(model.call(call), outcomes[n]) ? begun : null));

/** An interrupting command has three parts; calls may come between them. */
export const partsOf = (command: Interrupting, outcome: Outcome): readonly Action[] => [
  (model, begun) => ({ ...begun, prepared: model.prepare(command) }),
  (model, begun) => ({ ...begun, outcome: model.begin(command) }),
  (model, begun) =>
    isDeepStrictEqual(model.finish(command, begun.outcome, begun.prepared), outcome) ? begun : null,
];

/** Returns the model after such an order; null if there is none. */
export function serialOrder(model: Model, threads: readonly (readonly Action[])[], seen: Seen): Model | null {
  const visited = new Set<string>();
  const search = (before: Model, begun: Begun, done: readonly number[]): Model | null => {
    const place = `${done.join()} ${JSON.stringify(begun)} ${before.state()}`;
    if (visited.has(place)) return null;
    visited.add(place);
    if (threads.every((actions, n) => actions.length === done[n]))
      return isDeepStrictEqual(unordered(before.seen()), unordered(seen)) ? before : null;
    for (const [thread, actions] of threads.entries()) {
      const at = done[thread] ?? 0;
      const next = before.copy();
      const result = actions[at]?.(next, begun) ?? null;
      const found = result === null ? null : search(next, result, done.with(thread, at + 1));
      if (found !== null) return found;
    }
    return null;
  };
  return search(
    model,
    { prepared: 0, outcome: false },
    threads.map(() => 0),
  );
}

/**
 * Nodes take the ids of subscribers and events from blocks of their own, so the order of two that were
 * created at the same moment says nothing.
 */
function unordered(seen: Seen): unknown {
  const sorted = (rows: unknown): unknown =>
    Array.isArray(rows) ? rows.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1)) : rows;
  const each = (records: readonly unknown[], ...names: readonly string[]): unknown =>
    records.map((record) =>
      Object.fromEntries(
        Object.entries(record as object).map(([name, value]) => [
          name,
          names.includes(name) ? sorted(value) : value,
        ]),
      ),
    );
  return {
    ...seen,
    lists: each(seen.lists, "listed"),
    campaigns: each(seen.campaigns, "bounced", "unsubscribed", "complained"),
  };
}
const textOf = (row: unknown): string => JSON.stringify(row);
