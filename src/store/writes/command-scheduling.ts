/**
 * For all stores: the account of a write, its approximate work, and whether it is background work. All three
 * follow from its kind and arguments, so finding them costs next to nothing.
 */
import type { Args, Kind } from "../methods.ts";
import type { Owner } from "./fair-queue.ts";

export const ownerOf = (args: object): Owner =>
  "account" in args && typeof args.account === "number" ? args.account : null;

/** No caller waits for these writes: they belong to jobs, or to campaigns that are being sent. */
const background: ReadonlySet<string> = new Set<Kind>([
  "jobs.claim",
  "jobs.step",
  "ledger.begin",
  "ledger.take",
  "ledger.proceed",
  "ledger.giveBack",
  "ledger.release",
  "ledger.extend",
  "ledger.relayFailed",
  "ledger.relayWorks",
]);
/** An import that saves its progress is a job, too, and so are refused calls that a job replays. */
export const isBackground = (kind: string, args: object): boolean =>
  background.has(kind) ||
  (kind === "imports.add" && "progress" in args) ||
  (kind === "jobs.proceed" && "calls" in args && args.calls !== undefined);

/** The arguments that make a command larger than others. */
type Large = Partial<Pick<Args<"subscribers.addWithData">, "data"> & Pick<Args<"imports.add">, "people">>;

/** One row is saved for each custom value and for each imported subscriber. */
export function workOf(args: object): number {
  const { data, people }: Large = args;
  if (data !== undefined) return 1 + data.values.length;
  return people === undefined ? 1 : people.reduce((sum, { values }) => sum + 1 + values.length, 1);
}
