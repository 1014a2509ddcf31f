/** The facts about a person as columns. */
import type { Facts, Known, SubscriberId } from "../../domain/subscriber.ts";

export const FACTS =
  "unsubscribed_at AS unsubscribed, bounced_at AS bounced, complained_at AS complained, blocked_at AS blocked";

export interface FactRow extends Facts {
  readonly id: SubscriberId;
  readonly since: number;
}

export const toKnown = ({ since, blocked, complained, unsubscribed, bounced }: FactRow): Known => ({
  since,
  facts: { blocked, complained, unsubscribed, bounced },
});
