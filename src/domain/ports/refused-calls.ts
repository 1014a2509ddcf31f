/** Refused calls. */
import type { Audited } from "../access/audit.ts";
import type { Address } from "../address.ts";
import type { Refusal, RefusalFilter, RefusalGroup, RefusalId, RefusalRange } from "../refused-call.ts";
import type { OfAccount } from "./command.ts";
import type { Fields } from "./fields.ts";
import type { Listing } from "./listing.ts";
import type { Subscribers } from "./subscribers.ts";

export interface NoOps {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

export interface RefusalGroupCount extends RefusalGroup {
  /** How many different calls. */
  readonly rows: number;
  /** How often they were made. */
  readonly calls: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

type Write<Port, Name extends string, Method extends keyof Port & string> = {
  readonly kind: `${Name}.${Method}`;
  readonly args: Port[Method] extends (args: infer Args) => unknown ? Args : never;
};
/** The command that a call stands for. */
export type CallWrite =
  | {
      [Method in "add" | "addWithData" | "remove" | "unsubscribe"]: Write<Subscribers, "subscribers", Method>;
    }["add" | "addWithData" | "remove" | "unsubscribe"]
  | Write<Fields, "fields", "add">;

/** A refused call that is executed again. */
export interface ReplayedCall {
  readonly id: RefusalId;
  readonly write: CallWrite;
  /** Its arguments with corrections: if it is refused for another reason, it keeps both. null: neither. */
  readonly corrected: string | null;
}

/** `next` is where the next batch begins; null at the end. */
export interface ErasedRefusals {
  readonly dropped: number;
  readonly next: RefusalId | null;
}

export interface Refusals {
  /** The last call of each counts; the newest first. */
  readonly all: Listing<OfAccount, Refusal>;
  /** In the same order; a page may have fewer rows than asked for although there are more. */
  readonly search: Listing<OfAccount & RefusalFilter, Refusal>;
  byId(args: OfAccount & { readonly id: RefusalId }): Promise<Refusal | null>;
  noOps(args: OfAccount): Promise<readonly NoOps[]>;
  /** Refused calls by operation, outcome and key, the largest groups first. */
  groups(args: OfAccount): Promise<readonly RefusalGroupCount[]>;
  /** How many a group has, counted up to `most`; the newest of them; and the highest id of the account. */
  previewGroup(args: OfAccount & RefusalGroup & { readonly most: number; readonly sample: number }): Promise<{
    readonly count: number;
    readonly newest: readonly Refusal[];
    readonly upTo: RefusalId;
  }>;
  /** The next ones of a group after an id, in order of id; `next` is where to continue, null at the end. */
  nextOfGroup(
    args: OfAccount & RefusalRange & { readonly after: RefusalId; readonly limit: number },
  ): Promise<{ readonly refusals: readonly Refusal[]; readonly next: RefusalId | null }>;
  /** Without entries in the audit log: it belongs to something that has one. */
  dismissAll(args: OfAccount & { readonly ids: readonly RefusalId[] }): Promise<null>;
  /**
   * Executes a refused call again and, if nothing is left to do, removes it from the refused calls, in one
   * transaction. Returns the outcome; null: it is not among the refused calls any more, and nothing is done.
   */
  replay(args: OfAccount & Audited & { readonly call: ReplayedCall }): Promise<string | null>;
  dismiss(args: OfAccount & Audited & { readonly id: RefusalId }): Promise<boolean>;
  /**
   * Deletes refused calls that contain the address, beginning after an id; in batches, because each must be
   * searched.
   */
  erase(args: OfAccount & { readonly address: Address; readonly after: RefusalId }): Promise<ErasedRefusals>;
}
