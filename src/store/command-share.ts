/**
 * Whose a write is and about how much work, for every store: by what it says itself, so that it costs next to
 * nothing.
 */
import type { Writes } from "../domain/ports.ts";
import type { Owner } from "./fair-queue.ts";

type Args = Writes[keyof Writes]["args"];

export const ownerOf = (args: Args): Owner =>
  "account" in args && typeof args.account === "number" ? args.account : null;

/** A row that is saved for each custom value, and of an import for each person. */
export function workOf(args: Args): number {
  if ("data" in args) return 1 + args.data.values.length;
  if ("people" in args) return args.people.reduce((sum, { values }) => sum + 1 + values.length, 1);
  return 1;
}
