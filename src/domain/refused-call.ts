/**
 * Refused calls. Many callers ignore the result, so a refused call is stored until an operator handles it.
 * Repeats of one refusal are combined into one row. The key itself is never stored, only its id.
 */
import { createHash } from "node:crypto";
import type { KeyId } from "./access/key.ts";
import type { AccountId } from "./account.ts";
import type { Id } from "./id.ts";

export type RefusalId = Id<"RefusalId">;

/** A call as the caller made it: opaque to the rules, enough to replay it. */
export interface RecordedCall {
  readonly operation: string;
  /** The arguments without the key, as JSON. */
  readonly args: string;
  /** The arguments were too long to be stored in full, so the call cannot be replayed. */
  readonly isCut: boolean;
}

export interface Refusal {
  readonly id: RefusalId;
  readonly operation: string;
  readonly args: string;
  readonly isCut: boolean;
  readonly outcome: string;
  readonly key: KeyId | null;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Instead of the id of a key: calls whose key is not known. */
export const NO_KEY: KeyId = -1;

/** What refused calls are looked for by; null: any. */
export interface RefusalFilter {
  readonly operation: string | null;
  readonly outcome: string | null;
  readonly key: KeyId | null;
}

/** Refused calls that have the same cause. */
export interface RefusalGroup {
  readonly operation: string;
  readonly outcome: string;
  /** null: of any key. */
  readonly key: KeyId | null;
}
/** The calls of a group up to an id: a job does not follow calls that are refused while it runs. */
export interface RefusalRange extends RefusalGroup {
  readonly upTo: RefusalId;
}

/** Outcomes of a no-op: nothing had to change. They are only counted. */
export const isNoOp = (outcome: string): boolean => outcome === "NotOnList" || outcome === "FieldExists";

export const fingerprint = (account: AccountId, recordedCall: RecordedCall, outcome: string): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([account, recordedCall.operation, recordedCall.args, outcome]))
    .digest();

/** Retention limits; the oldest are dropped first. */
export interface Retention {
  readonly days: number;
  /** Per account. */
  readonly rows: number;
  /** Size of the arguments in UTF-8, per account. */
  readonly bytes: number;
}

const DAY_MS = 86_400_000;
/** What happened last before that is forgotten. */
export const keptSince = (now: number, { days }: Retention): number => now - days * DAY_MS;
