/** The tables of campaigns and what came of them, for `tables.ts`. */
export const campaignTables = [
  {
    name: "campaign",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      name: "text",
      created_at: "integer",
      sent_at: "integer",
      is_deleting: "boolean",
      is_draft: "boolean",
    },
  },
  {
    name: "campaign_list",
    key: ["campaign_id", "list_id"],
    columns: {
      account_id: "integer",
      campaign_id: "integer",
      list_id: "integer",
      name: "text",
      list_created_at: "integer",
    },
  },
  {
    name: "campaign_event",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      campaign_id: "integer",
      event: "text",
      subscriber_id: "integer",
      at: "integer",
      joined_at: "integer",
      first_name: "text",
      last_name: "text",
      address: "text",
    },
  },
] as const;
