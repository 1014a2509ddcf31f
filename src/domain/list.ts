/**
 * Subscriber lists. `members` counts memberships of active subscribers; it is a stored counter, never
 * computed on reads.
 */
import type { Id } from "./id.ts";
export type ListId = Id<"ListId">;
/** Ids are 32-bit numbers in SOAP; ids above this one are left for automatic assignment. */
export const MAX_CHOSEN_LIST_ID: ListId = 2_000_000_000;

export interface List {
  readonly id: ListId;
  readonly name: string;
  readonly createdAt: number;
  readonly members: number;
}
/** What users set and change, and thereby its version (`version.ts`). */
export const changeableList = ["name"] as const;
export type ListValues = Pick<List, (typeof changeableList)[number]>;
