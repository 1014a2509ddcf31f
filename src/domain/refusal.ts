/**
 * Refused calls. Callers ignore the result, so what was refused is kept until somebody has looked at it. Repeats of
 * one refusal are folded into one row. The key itself is never kept, only which one it was.
 */
import { createHash } from "node:crypto";
import type { AccountId } from "./account.ts";
import type { KeyId } from "./key.ts";

/** A call as the caller made it: opaque to the rules, enough to replay it. */
export interface RecordedCall {
  readonly operation: string;
  /** The arguments without the key, as JSON. */
  readonly args: string;
  /** The arguments were too long to be kept whole, so the call cannot be replayed. */
  readonly isCut: boolean;
}

export interface Refusal {
  readonly id: number;
  readonly operation: string;
  readonly args: string;
  readonly isCut: boolean;
  readonly outcome: string;
  readonly key: KeyId | null;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Outcomes of a no-op: nothing had to change. They are counted, and there is nothing to look at. */
export const isNoOp = (outcome: string): boolean => outcome === "NotOnList" || outcome === "FieldExists";

export const fingerprint = (account: AccountId, recordedCall: RecordedCall, outcome: string): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([account, recordedCall.operation, recordedCall.args, outcome]))
    .digest();

/** How much is kept, the oldest dropped first. */
export interface Retention {
  readonly days: number;
  /** Of each account. */
  readonly rows: number;
  /** Of the arguments, as UTF-8, of each account. */
  readonly bytes: number;
}

const DAY_MS = 86_400_000;
/** What happened last before that is forgotten. */
export const keptSince = (now: number, { days }: Retention): number => now - days * DAY_MS;
