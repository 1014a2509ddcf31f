/** One change to many subscribers, by the rules that apply to each of them. */
import type { Address } from "../address.ts";
import type { CampaignId } from "../campaign.ts";
import type { JobResult } from "../job/result.ts";
import type { ListId } from "../list.ts";
import { isNoOp } from "../refused-call.ts";
import type { Cause } from "./history.ts";
import {
  type AddState,
  type Decided,
  decideAdd,
  decideReactivate,
  decideRemove,
  decideUnsubscribe,
} from "./rules.ts";
import type { SubscriberSearch } from "./search.ts";

export type BulkChange =
  | { readonly kind: "add" | "remove"; readonly list: ListId }
  /** From all lists of the account. */
  | { readonly kind: "unsubscribe" };
export const bulkKinds = ["add", "remove", "unsubscribe"] as const satisfies readonly BulkChange["kind"][];

/** The suppressions that hard bounces of a campaign have caused since a time. */
export interface BouncesOfCampaign {
  readonly campaign: CampaignId;
  /** null: all. */
  readonly since: number | null;
}
/** Clears them. Others stay: an opt-out is never undone in bulk. */
export interface ClearBounces extends BouncesOfCampaign {
  readonly kind: "clear-bounces";
  readonly reason: string;
}

/** Jobs that earlier versions have stored have no filter. */
type StoredSearch = Omit<SubscriberSearch, "filter"> & Partial<Pick<SubscriberSearch, "filter">>;
/** Subscribers who match and existed at the time `at`; or whose address had bounced by then. */
export type BulkArguments = Cause &
  (
    | { readonly search: StoredSearch; readonly change: BulkChange }
    | { readonly search: null; readonly change: ClearBounces }
  );

/** How many subscribers were changed, needed no change, and were refused, by outcome. */
export interface BulkResult extends JobResult {
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: Readonly<Record<string, number>>;
}
export const noBulkResult: BulkResult = { changed: 0, unchanged: 0, refused: {} };

/** An opt-out is never undone: an add of a suppressed subscriber is refused. */
export function decideBulkChange(
  change: BulkArguments["change"],
  cause: Cause,
  address: Address,
  state: Omit<AddState, "subscribers" | "subscriberLimit">,
): Decided<string> {
  if (change.kind === "unsubscribe") return decideUnsubscribe({ ...cause, address }, state);
  if (change.kind === "clear-bounces")
    return decideReactivate({ ...cause, address, suppression: "bounced", reason: change.reason }, state);
  const command = { ...cause, address, list: change.list };
  // The limit is for new subscribers; these exist.
  return change.kind === "add"
    ? decideAdd(command, { ...state, subscribers: 0, subscriberLimit: null })
    : decideRemove(command, state);
}

export function countDecision(result: BulkResult, { outcome, changes }: Decided<string>): BulkResult {
  // A repeated opt-out, or an add of a member, may be recorded, but changes nothing.
  if (changes.some(({ kind }) => kind !== "add-history" && kind !== "confirm-membership"))
    return { ...result, changed: result.changed + 1 };
  if (outcome === "Done" || isNoOp(outcome)) return { ...result, unchanged: result.unchanged + 1 };
  const refused = { ...result.refused, [outcome]: (result.refused[outcome] ?? 0) + 1 };
  return { ...result, refused };
}
