/** What a person does with the link in a message. */
import type { AccountId } from "../../account.ts";
import type { CampaignId } from "../../campaign.ts";
import type { ListId } from "../../list.ts";
import type { SubscriberId } from "../../subscriber/subscriber.ts";
import type { OfAccount } from "../command.ts";

/** Everything that a link names. */
export interface LinkRecipient {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly subscriber: SubscriberId;
}
interface NamedList {
  readonly id: ListId;
  readonly name: string;
}
export interface LinkState {
  /** Who the mail is from: the name of the campaign's sender, otherwise that of the account. */
  readonly from: string;
  readonly address: string;
  readonly isUnsubscribed: boolean;
  /** The campaign's lists that the person is on; at most `MAX_LISTS`. */
  readonly lists: readonly NamedList[];
  /** The lists that the person has left by this link, and can still return to. */
  readonly left: readonly NamedList[];
  /** Until when what this link did can be undone; null: there is nothing to undo. */
  readonly undoableUntil: number | null;
}
export const MAX_LISTS = 50;

/** Each command returns the state after it, or null if the person was erased or never existed. */
export interface UnsubscribeLinks {
  /** Signs the links of an account: 32 random bytes, created on first use. null: no such account. */
  secretOf(args: OfAccount): Promise<Uint8Array | null>;
  /** The same, to verify a link. null: the account has never made one. */
  storedSecretOf(args: OfAccount): Promise<Uint8Array | null>;
  state(args: LinkRecipient & { readonly at: number }): Promise<LinkState | null>;
  /** Opts out of the account, as an event of the campaign. Repeated, it changes nothing. */
  leave(args: LinkRecipient & { readonly at: number }): Promise<LinkState | null>;
  /** Removes from one list of the campaign only. Not an opt-out, and not an event of the campaign. */
  leaveList(args: LinkRecipient & { readonly list: ListId; readonly at: number }): Promise<LinkState | null>;
  /** Undoes what this link did within the last ten minutes (`domain/subscriber/undo.ts`). */
  undo(
    args: LinkRecipient & { readonly at: number },
  ): Promise<(LinkState & { readonly isUndone: boolean }) | null>;
}
