/** What happened to a person: append-only, each entry with its time, its origin and, where there is one, the campaign. */
import type { CampaignId } from "./campaign.ts";
import type { ListId } from "./list.ts";
import type { Origin } from "./origin.ts";

export type HistoryKind =
  | "joined"
  | "left"
  | "unsubscribed"
  | "bounced"
  | "complained"
  | "blocked"
  | "unblocked"
  | "reactivated";

export interface HistoryEntry {
  readonly at: number;
  readonly kind: HistoryKind;
  readonly origin: Origin;
  readonly campaign: CampaignId | null;
  readonly list: ListId | null;
  /** The operator's reason, the fact that was lifted, the pattern that blocks: what a person asks next. */
  readonly detail: string | null;
}
