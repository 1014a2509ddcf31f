/** The commands that callers make, in any number: those that travel in groups. */
import type { Writes } from "../../domain/ports.ts";
import { importPeople } from "./import.ts";
import { addField } from "./lists.ts";
import { keepRefusal } from "./refusals.ts";
import {
  addSubscriber,
  addSubscriberWithData,
  reactivate,
  recordEvent,
  removeSubscriber,
  unsubscribe,
} from "./subscribers.ts";
import type { WorkingSet } from "./working-set.ts";

export type CallerKind =
  | "addSubscriber"
  | "addSubscriberWithData"
  | "removeSubscriber"
  | "unsubscribe"
  | "reactivate"
  | "recordEvent"
  | "importPeople"
  | "addField";
export type CallerCommand = {
  readonly [K in CallerKind]: { readonly kind: K; readonly args: Writes[K]["args"] };
}[CallerKind];
export type CallerOutcome = Writes[CallerKind]["result"];

type Decide = { readonly [K in CallerKind]: (set: WorkingSet, args: Writes[K]["args"]) => CallerOutcome };

const decisions: Decide = {
  addSubscriber,
  addSubscriberWithData,
  removeSubscriber,
  unsubscribe,
  reactivate,
  recordEvent,
  importPeople,
  addField,
};

export const isCallerKind = (kind: string): kind is CallerKind => Object.hasOwn(decisions, kind);

/** What these are refused is told to the operator who asked, and not kept. */
const unkept = new Set<CallerKind>(["reactivate", "recordEvent"]);

/** Decides one command upon what those before it left. */
export function decide(set: WorkingSet, { kind, args }: CallerCommand): CallerOutcome {
  const outcome = (decisions[kind] as (set: WorkingSet, args: CallerCommand["args"]) => CallerOutcome)(
    set,
    args,
  );
  if (typeof outcome === "string" && outcome !== "Done" && "asked" in args && !unkept.has(kind))
    keepRefusal(set, args, outcome);
  return outcome;
}
