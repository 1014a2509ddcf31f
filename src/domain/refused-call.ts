/**
 * Refused calls. Many callers ignore the result, so a refused call is stored until an operator handles it.
 * Repeats of one refusal are combined into one row. The key itself is never stored, only its id.
 */
import { createHash } from "node:crypto";
import type { KeyId } from "./access/key.ts";
import type { AccountId } from "./account.ts";
import type { Id } from "./id.ts";
import type { JobResult } from "./job/result.ts";
import type { ListId } from "./list.ts";

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

/**
 * What is replaced in the calls of a group when they are replayed: the ids that the program sent, and those
 * that are meant. Ids of lists and fields only; `null` leaves a value out. "0": the call named none.
 */
export interface GroupCorrections {
  readonly lists: Readonly<Record<string, ListId>>;
  /** As text, because JSON has no numbers of 64 bits. */
  readonly fields: Readonly<Record<string, string | null>>;
}

/** What became of the calls of a group: how many succeeded, and how many were refused again, by outcome. */
export interface ReplayResult extends JobResult {
  readonly succeeded: number;
  /** Their arguments were cut or do not fit the operation, or this version has no such operation. */
  readonly notReplayable: number;
  readonly refused: Readonly<Record<string, number>>;
}
export const nothingReplayed: ReplayResult = { succeeded: 0, notReplayable: 0, refused: {} };

/** With one more call. For a no-op, nothing is left to do. */
export function withReplayed(result: ReplayResult, outcome: string): ReplayResult {
  if (isSettled(outcome)) return { ...result, succeeded: result.succeeded + 1 };
  const refused = { ...result.refused, [outcome]: (result.refused[outcome] ?? 0) + 1 };
  return { ...result, refused };
}
/** Whether a replayed call has nothing left to do. */
export const isSettled = (outcome: string): boolean => outcome === "Done" || isNoOp(outcome);

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
