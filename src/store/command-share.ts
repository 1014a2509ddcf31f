/**
 * The account of a write, its approximate work, and whether somebody waits for it; for all stores. They are read
 * from its kind and arguments, which costs next to nothing.
 */
import type { Writes } from "../domain/ports.ts";
import type { Owner } from "./fair-queue.ts";

type Args = Writes[keyof Writes]["args"];

export const ownerOf = (args: Args): Owner =>
  "account" in args && typeof args.account === "number" ? args.account : null;

/** Nobody waits for these writes: they belong to jobs and to maintenance. */
const background: ReadonlySet<keyof Writes> = new Set(["purgeRefusals"]);
export const isBackground = (kind: keyof Writes): boolean => background.has(kind);

/** One row is saved for each custom value and for each imported subscriber. */
export function workOf(args: Args): number {
  if ("data" in args) return 1 + args.data.values.length;
  if ("people" in args) return args.people.reduce((sum, { values }) => sum + 1 + values.length, 1);
  return 1;
}
