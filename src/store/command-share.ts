/**
 * The account and the approximate work of a write, for all stores. Both are read from its arguments, which
 * costs next to nothing.
 */
import type { Owner } from "./fair-queue.ts";
import type { Args } from "./methods.ts";

export const ownerOf = (args: object): Owner =>
  "account" in args && typeof args.account === "number" ? args.account : null;

/** The arguments that make a command larger than others. */
type Large = Partial<Pick<Args<"subscribers.addWithData">, "data"> & Pick<Args<"imports.add">, "people">>;

/** One row is saved for each custom value and for each imported subscriber. */
export function workOf(args: object): number {
  const { data, people }: Large = args;
  if (data !== undefined) return 1 + data.values.length;
  return people === undefined ? 1 : people.reduce((sum, { values }) => sum + 1 + values.length, 1);
}
