/** The facts about a person as columns. */
import type { Facts } from "../../domain/subscriber.ts";

export const FACTS =
  "s.unsubscribed_at AS unsubscribed, s.bounced_at AS bounced, s.complained_at AS complained, s.blocked_at AS blocked";

/** No fact holds. */
export const ACTIVE =
  "s.unsubscribed_at IS NULL AND s.bounced_at IS NULL AND s.complained_at IS NULL AND s.blocked_at IS NULL";

export const toFacts = ({ blocked, complained, unsubscribed, bounced }: Facts): Facts => ({
  blocked,
  complained,
  unsubscribed,
  bounced,
});
