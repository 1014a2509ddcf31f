/**
 * The rules of each command about a subscriber: given the stored state, the outcome and the changes. An add
 * never clears a suppression. If several refusals apply, the order of the checks decides which one is
 * returned.
 */
import type { Address } from "../address.ts";
import type { CampaignEvent, CampaignId } from "../campaign.ts";
import type { Decision } from "../decision.ts";
import { type GivenValues, giveValues, type StoredValues } from "../field/value-rules.ts";
import type { ListId } from "../list.ts";
import { changeSuppression, type importOf, joinList, leaveList, type SubscriberChange } from "./change.ts";
import { type Cause, historyEntry, KEPT_FROM_ERASURE, reactivatedDetail } from "./history.ts";
import { type GivenData, type PersonState, readData } from "./person-data.ts";
import {
  type ClearableSuppression,
  clearable,
  earlier,
  type FromImport,
  type Known,
  type MembershipStatus,
  noSuppressions,
  type Suppressions,
  stateOf,
} from "./subscriber.ts";
import { isFurtherOptOut } from "./undo.ts";

export type AddOutcome =
  | "Done"
  | "InvalidEmail"
  | "UnknownList"
  | "Blocked"
  | "Unsubscribed"
  | "Bounced"
  | "LimitReached";
export type AddWithDataOutcome = AddOutcome | "UnknownField" | "InvalidValue";
export type RemoveOutcome = "Done" | "InvalidEmail" | "UnknownList" | "NotOnList";
export type UnsubscribeOutcome = "Done" | "InvalidEmail";
export type ReactivateOutcome = "Done" | "InvalidEmail" | "UnknownSubscriber" | "NotSuppressed";
export type EventOutcome = "Done" | "InvalidEmail" | "UnknownCampaign";

export type Decided<O extends string> = Decision<O, SubscriberChange>;
const unchanged = <O extends string>(outcome: O): Decided<O> => ({ outcome, changes: [] });

/**
 * The subscriber, null if the address is not stored; and since when a block covers the address. That may be
 * ahead of the subscriber's own suppressions, because a block is stored first and then applied.
 */
export interface AddressState {
  readonly known: Known | null;
  readonly blockedAt: number | null;
  /**
   * The suppressions of an erased subscriber who was not added again since; null if there are none.
   */
  readonly erased: Suppressions | null;
}

/** A block that the command itself has just added. */
export interface OwnBlock {
  readonly pattern: string;
  readonly origin: Cause["origin"];
}

/**
 * A new subscriber whom a block covers is blocked from the start; an erased one keeps the former
 * suppressions. Both are recorded in the history.
 */
export const createSubscriber = (
  address: Address,
  at: number,
  state: AddressState,
  ownBlock: OwnBlock | null = null,
  by: ReturnType<typeof importOf> = {},
): readonly SubscriberChange[] => {
  const { blocked, ...others } = suppressionsOf(state);
  const asKept = (since: number): Cause => ({ at: since, origin: { kind: "operator" } });
  const changes: SubscriberChange[] = [{ kind: "create-subscriber", address, at, blockedAt: blocked, ...by }];
  if (blocked !== null) {
    const cause = ownBlock === null ? asKept(blocked) : { at: blocked, origin: ownBlock.origin };
    const more = ownBlock === null ? {} : { detail: ownBlock.pattern };
    changes.push({ kind: "add-history", entry: historyEntry("blocked", cause, more) });
  }
  let held: Suppressions = { ...noSuppressions, blocked };
  for (const suppression of clearable) {
    const since = others[suppression];
    if (since === null) continue;
    const what = historyEntry(suppression, asKept(since), { detail: KEPT_FROM_ERASURE });
    changes.push(...changeSuppression(held, suppression, true, what, at));
    held = { ...held, [suppression]: since };
  }
  return changes;
};
export const suppressionsOf = ({ known, erased, blockedAt }: AddressState): Suppressions =>
  known?.suppressions ?? {
    ...(erased ?? noSuppressions),
    blocked: earlier(blockedAt, erased?.blocked ?? null),
  };

export interface ListCommand extends Cause {
  readonly address: Address | null;
  readonly list: ListId;
}
export interface AddCommand extends ListCommand {
  /** Of a membership that the add starts; active unless the person has to confirm it. */
  readonly status?: MembershipStatus;
}
export interface ListState extends AddressState {
  readonly listExists: boolean;
  /** null: not on the list. */
  readonly membership: MembershipStatus | null;
  /** Of the membership; absent: no import has started it, or others have asked for it since. */
  readonly fromImport?: FromImport | null;
}
export interface AddState extends ListState {
  readonly subscribers: number;
  readonly subscriberLimit: number | null;
}

/** The outcome of an add for a suppressed subscriber. */
export const refusalByState = {
  blocked: "Blocked",
  complained: "Blocked",
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
} as const;

export function decideAdd(command: AddCommand, state: AddState): Decided<AddOutcome> {
  if (command.address === null) return unchanged("InvalidEmail");
  if (!state.listExists) return unchanged("UnknownList");
  return admit(command, command.address, state, null);
}

/** `stored` is null for a new subscriber; it is read only if the add is not refused. */
export function decideAddWithData(
  command: ListCommand & { readonly data: GivenData },
  state: AddState & PersonState,
  stored: StoredValues | null,
): Decided<AddWithDataOutcome> {
  if (command.address === null) return unchanged("InvalidEmail");
  if (!state.listExists) return unchanged("UnknownList");
  const given = readData(command.data, state, command.at);
  if (typeof given === "string") return unchanged(given);
  return admit(command, command.address, state, { given, stored });
}

/** The call itself is valid: checks the suppressions and the subscriber limit. */
function admit(
  { at, origin, list, status = "active" }: AddCommand,
  address: Address,
  state: AddState,
  data: { readonly given: GivenValues; readonly stored: StoredValues | null } | null,
): Decided<AddOutcome> {
  const held = suppressionsOf(state);
  const personState = stateOf({ ...held, blocked: held.blocked ?? state.blockedAt });
  if (personState !== "active") return unchanged(refusalByState[personState]);
  const isNew = state.known === null;
  if (isNew && state.subscriberLimit !== null && state.subscribers >= state.subscriberLimit)
    return unchanged("LimitReached");
  const changes: SubscriberChange[] = isNew ? [...createSubscriber(address, at, state)] : [];
  if (data !== null) changes.push(...giveValues(data.given, data.stored, { at, origin }).changes);
  // A pending member stays pending: only the person can confirm.
  if (state.membership === null) changes.push(...joinList(held, list, status, { at, origin }));
  else if (state.fromImport != null) changes.push({ kind: "confirm-membership", list, by: null });
  return { outcome: "Done", changes };
}

/**
 * A suspended or pending membership can be removed too. It then does not return when the suppression is
 * cleared, and can no longer be confirmed.
 */
export function decideRemove(command: ListCommand, state: ListState): Decided<RemoveOutcome> {
  const { address, list } = command;
  if (address === null) return unchanged("InvalidEmail");
  if (!state.listExists) return unchanged("UnknownList");
  if (state.known === null || state.membership === null) return unchanged("NotOnList");
  return {
    outcome: "Done",
    changes: leaveList(state.known.suppressions, list, state.membership, command),
  };
}

export interface UnsubscribeCommand extends Cause {
  readonly address: Address | null;
}

export function decideUnsubscribe(
  command: UnsubscribeCommand,
  state: AddressState,
): Decided<UnsubscribeOutcome> {
  const { address, at } = command;
  if (address === null) return unchanged("InvalidEmail");
  const { unsubscribed } = suppressionsOf(state);
  if (unsubscribed !== null)
    return state.known === null ? unchanged("Done") : repeatedOptOut(command, unsubscribed, null);
  return {
    outcome: "Done",
    changes: [
      ...(state.known === null ? createSubscriber(address, at, state) : []),
      ...changeSuppression(
        suppressionsOf(state),
        "unsubscribed",
        true,
        historyEntry("unsubscribed", command),
      ),
    ],
  };
}

/**
 * Changes nothing, but is recorded once while a person may still undo the opt-out (`undo.ts`): what another
 * opt-out asked for, too, is not undone.
 */
const repeatedOptOut = (command: Cause, since: number, campaign: CampaignId | null): Decided<"Done"> => ({
  outcome: "Done",
  changes: isFurtherOptOut(command, since)
    ? [
        {
          kind: "add-history",
          entry: historyEntry("unsubscribed", command, { campaign }),
          isAfterLink: true,
        },
      ]
    : [],
});

export interface ReactivateCommand extends Cause {
  readonly address: Address | null;
  readonly suppression: ClearableSuppression;
  readonly reason: string;
}

export function decideReactivate(
  command: ReactivateCommand,
  state: AddressState,
): Decided<ReactivateOutcome> {
  const { address, at, suppression, reason } = command;
  if (address === null) return unchanged("InvalidEmail");
  const held = suppressionsOf(state);
  if (held[suppression] === null)
    return unchanged(state.known === null ? "UnknownSubscriber" : "NotSuppressed");
  const what = historyEntry("reactivated", command, {
    detail: reactivatedDetail(suppression, reason),
  });
  return {
    outcome: "Done",
    changes: [
      // An erased subscriber who asks to be added again.
      ...(state.known === null ? createSubscriber(address, at, state) : []),
      ...changeSuppression(held, suppression, false, what),
    ],
  };
}

export interface EventCommand extends Cause {
  readonly address: Address | null;
  readonly campaign: CampaignId;
  readonly event: CampaignEvent;
  /** For the history: why, if there is more to say. */
  readonly detail?: string | null;
}
export interface EventState extends AddressState {
  readonly campaignExists: boolean;
  /** This event is already recorded for this campaign and subscriber. */
  readonly isRecorded: boolean;
  /**
   * The earliest join among the campaign's lists, of suspended memberships too; null if the subscriber is on
   * none. A pending membership is no join yet: the campaign was not sent because of it.
   */
  readonly earliestJoin: number | null;
}

/**
 * An opt-out belongs to the campaign that caused it, so an earlier one is not counted for another campaign.
 */
export function decideEvent(command: EventCommand, state: EventState): Decided<EventOutcome> {
  const { address, campaign, event, at, detail = null } = command;
  if (address === null) return unchanged("InvalidEmail");
  if (!state.campaignExists) return unchanged("UnknownCampaign");
  const held = suppressionsOf(state);
  const holds = held[event] !== null;
  // Repeating a suppression of an erased subscriber does not store the subscriber again.
  if (state.known === null && holds) return unchanged("Done");
  if (event === "unsubscribed" && held.unsubscribed !== null)
    return repeatedOptOut(command, held.unsubscribed, campaign);
  const isCause = !state.isRecorded;
  const what = historyEntry(event, command, { campaign, detail });
  const changes: SubscriberChange[] = state.known === null ? [...createSubscriber(address, at, state)] : [];
  if (!holds) changes.push(...changeSuppression(held, event, true, what));
  else if (isCause) changes.push({ kind: "add-history", entry: what });
  if (isCause)
    changes.push({
      kind: "add-campaign-event",
      campaign,
      event,
      at,
      joinedAt: state.earliestJoin ?? state.known?.since ?? at,
    });
  return { outcome: "Done", changes };
}

/** The same of no campaign: nobody knows by which the event was caused. */
export function decideEventOfNone(
  { event, detail, ...cause }: Cause & Pick<Required<EventCommand>, "event" | "detail">,
  held: Suppressions,
): readonly SubscriberChange[] {
  if (held[event] === null) {
    const { at, origin } = cause;
    return changeSuppression(held, event, true, historyEntry(event, { at, origin }, { detail }));
  }
  return event === "unsubscribed" ? repeatedOptOut(cause, held.unsubscribed ?? cause.at, null).changes : [];
}

/** Applies the adding or removing of a block to one subscriber; `pattern` is that of the block list. */
export function decideBlock(
  known: Known,
  isBlocked: boolean,
  pattern: string,
  cause: Cause,
): readonly SubscriberChange[] {
  if ((known.suppressions.blocked !== null) === isBlocked) return [];
  const what = historyEntry(isBlocked ? "blocked" : "unblocked", cause, { detail: pattern });
  return changeSuppression(known.suppressions, "blocked", isBlocked, what);
}
