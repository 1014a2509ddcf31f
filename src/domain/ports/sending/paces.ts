/** Paces of relays and limits of senders by second: one for all processes. Rules are in `pace.ts`. */
import type { CampaignId } from "../../campaign.ts";
import type { Permits } from "../../sending/pace.ts";
import type { OfAccount } from "../command.ts";
import type { OfSender } from "./senders.ts";

export interface PaceOfRelay {
  /** As `paceKeyOf` returns it. */
  readonly key: string;
  /** Messages a second. */
  readonly perSecond: number;
}

export interface PaceOfCampaign {
  readonly campaign: CampaignId;
  /** Of all relays of its sender together; null: one of them has refused nothing. */
  readonly perSecond: number | null;
}

export interface Paces {
  /** `defaultRelay`: the address of the relay of senders that have none of their own. */
  ofCampaigns(
    args: OfAccount & {
      readonly campaigns: readonly CampaignId[];
      readonly defaultRelay: string;
      readonly now: number;
    },
  ): Promise<readonly PaceOfCampaign[]>;
  /** Only of relays that have refused messages because they came too fast. */
  ofRelays(args: { readonly keys: readonly string[]; readonly now: number }): Promise<readonly PaceOfRelay[]>;
  /**
   * What a process asks for when it has used its permits, with what it has seen since it asked last. null: no
   * permits are needed, because the relay has refused nothing for a day, or the sender has no limit.
   */
  take(args: {
    readonly key: string;
    /** Whose limit by second it is; null: a relay. */
    readonly sender: OfSender | null;
    /** Messages that the relay has accepted. */
    readonly accepted: number;
    /**
     * The relay has refused messages because they came too fast, after it had accepted so many in a second.
     */
    readonly refusedAfter: number | null;
    /** For how long permits are wanted. */
    readonly aheadMs: number;
    readonly now: number;
  }): Promise<{
    readonly permits: Permits;
    /** The relay accepts nothing at all, however slow. */
    readonly acceptsNothing: boolean;
  } | null>;
}
