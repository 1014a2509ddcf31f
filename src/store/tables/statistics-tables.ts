/** The tables of numbers, for `tables.ts`. */
export const numberTables = [
  // Numbers per day: no personal data, and nothing that changes when a subscriber is erased later.
  {
    name: "list_day",
    key: ["account_id", "list_id", "day"],
    columns: {
      account_id: "integer",
      list_id: "integer",
      day: "integer",
      gained: "integer",
      lost: "integer",
    },
  },
  {
    name: "account_day",
    key: ["account_id", "day"],
    columns: { account_id: "integer", day: "integer", gained: "integer", lost: "integer" },
  },
  // A program is the name and version of a product, cut out of the User-Agent: no personal data either.
  {
    name: "call_day",
    key: ["account_id", "key_id", "day", "program"],
    columns: {
      account_id: "integer",
      key_id: "integer",
      day: "integer",
      program: "text",
      calls: "integer",
      refusals: "integer",
      faults: "integer",
    },
  },
  {
    name: "client_quirk",
    key: ["account_id", "key_id", "quirk"],
    columns: {
      account_id: "integer",
      key_id: "integer",
      quirk: "text",
      program: "text",
      seen_at: "integer",
    },
  },
] as const;
