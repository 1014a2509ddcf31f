/**
 * The account and the approximate work of a write, for all stores. Both are read from its arguments, which
 * costs next to nothing.
 */
import type { Writes } from "../domain/ports.ts";
import type { Owner } from "./fair-queue.ts";

type Args = Writes[keyof Writes]["args"];

export const ownerOf = (args: Args): Owner =>
  "account" in args && typeof args.account === "number" ? args.account : null;

/** One row is saved for each custom value and for each imported subscriber. */
export function workOf(args: Args): number {
  if ("data" in args) return 1 + args.data.values.length;
  if ("people" in args) return args.people.reduce((sum, { values }) => sum + 1 + values.length, 1);
  return 1;
}
