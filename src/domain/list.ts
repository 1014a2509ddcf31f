/** Subscriber lists. `members` counts memberships of active subscribers; it is kept, never counted when read. */

export type ListId = number;

export interface List {
  readonly id: ListId;
  readonly name: string;
  readonly createdAt: number;
  readonly members: number;
}
