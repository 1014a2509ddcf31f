/** The rules of the link in a message: opting out of everything, and leaving one list. */
import type { Address } from "../address.ts";
import type { CampaignId } from "../campaign.ts";
import type { ListId } from "../list.ts";
import { changeSuppression, type SubscriberChange } from "./change.ts";
import { historyEntry } from "./history.ts";
import { decideEvent, type EventState } from "./rules.ts";
import { isCounted, type Known, type Membership } from "./subscriber.ts";
import { isOptOutOfOtherLink, leftDetail, type UndoEntry } from "./undo.ts";

interface LeaveCommand {
  readonly at: number;
  readonly campaign: CampaignId;
  readonly address: Address;
}
const BY_LINK = { kind: "link" } as const;

/**
 * An event of the campaign. If the campaign was deleted meanwhile, an opt-out all the same. A repeated
 * opt-out changes nothing. It is recorded if the link of another campaign could otherwise undo it; `entries`
 * are the entries of the person, the newest first.
 */
export function decideLeave(
  { at, campaign, address }: LeaveCommand,
  known: Known,
  part: Omit<EventState, "known" | "blockedAt" | "erased">,
  entries: readonly UndoEntry[],
): readonly SubscriberChange[] {
  const cause = { at, origin: BY_LINK };
  const entry = historyEntry("unsubscribed", cause, { campaign });
  if (isOptOutOfOtherLink(entries, known.suppressions, { at, campaign }))
    return [{ kind: "add-history", entry }];
  const { outcome, changes } = decideEvent(
    { ...cause, address, campaign, event: "unsubscribed" },
    { known, blockedAt: null, erased: null, ...part },
  );
  if (outcome === "Done" || known.suppressions.unsubscribed !== null) return changes;
  return changeSuppression(known.suppressions, "unsubscribed", true, entry);
}

/** Not an opt-out: the person stays on all other lists. */
export const decideLeaveList = (
  { at, campaign, list }: { readonly at: number; readonly campaign: CampaignId; readonly list: ListId },
  { suppressions }: Known,
  { status, joinedAt }: Membership,
): readonly SubscriberChange[] => [
  { kind: "leave", list, at, counted: isCounted(suppressions, status) },
  {
    kind: "add-history",
    entry: historyEntry("left", { at, origin: BY_LINK }, { campaign, list, detail: leftDetail(joinedAt) }),
  },
];
