/**
 * A membership: a subscriber on a list, from joining to leaving. It is pending while it waits for the
 * person's confirmation; only that confirmation makes it active, neither an add nor an import.
 */
import { isActive, type Suppressions } from "./subscriber.ts";

export const membershipStatuses = ["active", "pending"] as const;
export type MembershipStatus = (typeof membershipStatuses)[number];

export interface Membership {
  readonly joinedAt: number;
  readonly status: MembershipStatus;
}

/** The only status in which a membership counts and is mailed. */
export const COUNTED_STATUS: MembershipStatus = "active";

/**
 * Who counts: the definition for the rules, for the counters of both databases and for what is mailed. The
 * subscriber has no suppression, and the membership is active.
 */
export const isCounted = (held: Suppressions, status: MembershipStatus): boolean =>
  status === COUNTED_STATUS && isActive(held);
