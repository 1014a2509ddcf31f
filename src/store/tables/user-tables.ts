/** The tables of users, for `tables.ts`. A user is no subscriber: erasing one leaves the other. */
export const userTables = [
  {
    name: "app_user",
    key: ["id"],
    columns: {
      id: "integer",
      address: "text",
      address_key: "text",
      name: "text",
      is_administrator: "boolean",
      created_at: "integer",
      disabled_at: "integer",
      password_hash: "text",
      password_set_at: "integer",
      totp_secret: "text",
      totp_since: "integer",
      totp_pending: "text",
      totp_step: "integer",
      time_zone: "text",
    },
  },
  {
    name: "user_role",
    key: ["account_id", "user_id"],
    columns: { account_id: "integer", user_id: "integer", role: "text" },
  },
  {
    name: "user_token",
    key: ["id"],
    columns: {
      id: "integer",
      user_id: "integer",
      hash: "bytes",
      name: "text",
      role: "text",
      is_log_in: "boolean",
      created_at: "integer",
      expires_at: "integer",
      revoked_at: "integer",
      last_used_at: "integer",
    },
  },
  {
    name: "recovery_code",
    key: ["user_id", "hash"],
    columns: { user_id: "integer", hash: "bytes" },
  },
] as const;
