/** The tables of campaigns that Mailroll sends itself, for `tables.ts`. */
const ofCampaign = { account_id: "integer", campaign_id: "integer" } as const;
const ofRecipient = { ...ofCampaign, subscriber_id: "integer" } as const;

/** Before the campaigns: a campaign may name its sender. */
export const senderTable = {
  name: "sender",
  key: ["id"],
  columns: {
    id: "integer",
    account_id: "integer",
    from_address: "text",
    from_name: "text",
    reply_to: "text",
    postal_address: "text",
    bounce_domain: "text",
    signing: "text",
    dkim_domain: "text",
    dkim_selector: "text",
    dkim_key: "text",
    relays: "text",
    per_second: "integer",
    per_domain_minute: "integer",
    per_day: "integer",
    created_at: "integer",
  },
} as const;

export const sendingTables = [
  {
    name: "campaign_content",
    key: ["campaign_id"],
    columns: {
      ...ofCampaign,
      sender_id: "integer",
      subject: "text",
      preheader: "text",
      layout: "text",
      html: "text",
      markdown: "text",
      plain_text: "text",
      included_lists: "text",
      excluded_lists: "text",
    },
  },
  {
    name: "mailing",
    key: ["campaign_id"],
    columns: {
      ...ofCampaign,
      state: "text",
      allows_http: "boolean",
      scheduled_at: "integer",
      started_at: "integer",
      ended_at: "integer",
      taken_up_to: "integer",
      waits_until: "integer",
      relay_failures: "integer",
      reason: "text",
      selected: "integer",
      sending: "integer",
      sent: "integer",
      deferred: "integer",
      failed: "integer",
      skipped: "integer",
      unknown: "integer",
      hard_bounces: "integer",
      purged_at: "integer",
    },
  },
  {
    name: "recipient",
    key: ["campaign_id", "subscriber_id"],
    columns: { ...ofRecipient, state: "integer", at: "integer", code: "integer" },
  },
  {
    name: "recipient_reply",
    key: ["campaign_id", "subscriber_id"],
    columns: { ...ofRecipient, reply: "text" },
  },
  {
    name: "recipient_retry",
    key: ["campaign_id", "subscriber_id"],
    columns: { ...ofRecipient, due_at: "integer", attempts: "integer", since: "integer" },
  },
  {
    name: "recipient_earlier",
    key: ["campaign_id", "subscriber_id"],
    columns: { ...ofRecipient, state: "integer", at: "integer", code: "integer", reply: "text" },
  },
] as const;
