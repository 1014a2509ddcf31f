/** Subscriber lists. `members` counts memberships of active subscribers; it is kept, never counted when read. */

export type ListId = number;
/** Callers take ids as 32-bit numbers; above the highest that may be chosen there is room for those given later. */
export const MAX_CHOSEN_LIST_ID: ListId = 2_000_000_000;

export interface List {
  readonly id: ListId;
  readonly name: string;
  readonly createdAt: number;
  readonly members: number;
}
