/** What a person does with the link in a message. */
import type { AccountId } from "../../account.ts";
import type { CampaignId } from "../../campaign.ts";
import type { ListId } from "../../list.ts";
import type { SubscriberId } from "../../subscriber/subscriber.ts";
import type { OfAccount } from "../command.ts";

/** Everything that a link names. */
export interface Leaver {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly subscriber: SubscriberId;
}
export interface LeaverState {
  readonly address: string;
  readonly unsubscribedAt: number | null;
  /** The campaign's lists that the person is on. */
  readonly lists: readonly { readonly id: ListId; readonly name: string }[];
  /** The time of the opt-out or removal that can be undone; null: none. */
  readonly undoableUntil: number | null;
}

export interface Leaving {
  /** Signs the links of an account: 32 random bytes, created on first use. null: no such account. */
  secretOf(args: OfAccount): Promise<Uint8Array | null>;
  /** null: the person was erased, or never was there. */
  state(args: Leaver & { readonly now: number }): Promise<LeaverState | null>;
  /** Opts out of the account, as an event of the campaign. Repeated, it changes nothing. */
  leave(args: Leaver & { readonly at: number }): Promise<"left" | "gone">;
  /** Removes from one list only. Not an opt-out, and not an event of the campaign. */
  leaveList(args: Leaver & { readonly list: ListId; readonly at: number }): Promise<"left" | "gone">;
  /** Undoes what this link did within the last ten minutes. */
  undo(args: Leaver & { readonly at: number }): Promise<"undone" | "too late" | "gone">;
}
/** For how long a person can undo. */
export const UNDO_MS = 600_000;
