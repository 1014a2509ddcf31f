/** No suppression applies: the subscriber is active. */
export const ACTIVE =
  "s.unsubscribed_at IS NULL AND s.bounced_at IS NULL AND s.complained_at IS NULL AND s.blocked_at IS NULL";
