/**
 * Every table of an installation with its columns, once for all stores: the names are the same everywhere.
 * Column types and the rest of the schema are up to each store; a test compares this list with the schemas.
 */
import { suppressionColumns } from "../reads/who-counts.ts";
import * as entities from "./entities.ts";
import type { Table } from "./entity.ts";

const suppressions: Table["columns"] = Object.fromEntries(
  suppressionColumns.map((column) => [column, "integer"]),
);

const ofCampaign = { account_id: "integer", campaign_id: "integer" } as const;
const ofRecipient = { ...ofCampaign, subscriber_id: "integer" } as const;

/** The store assigns the table's ids and never reuses them. */
export const givesIds = ({ columns }: Table): boolean => "id" in columns;

const noOp: Table = {
  name: "no_op",
  key: ["account_id", "operation", "outcome"],
  columns: { account_id: "integer", operation: "text", outcome: "text", count: "integer" },
};

/** Tables under the names that they have in older schemas. */
export const formerTables: readonly Table[] = [{ ...noOp, name: "already_so" }];

/**
 * Tables that are in no copy and no backup: their rows are worth something only for a short time, and in this
 * installation.
 */
export const temporaryTables: readonly string[] = [
  "idempotency_result",
  "idempotency_key",
  "import_progress",
  "upload_part",
  "upload",
  "sign_in_link",
  "user_session",
  "delivery_batch",
  "handed_over",
];

/** Ordered so that a row comes after those it refers to. */
export const tables: readonly Table[] = [
  entities.account.table,
  entities.key.table,
  // A user is no subscriber: erasing one leaves the other.
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
  entities.token.table,
  {
    name: "recovery_code",
    key: ["user_id", "hash"],
    columns: { user_id: "integer", hash: "bytes" },
  },
  entities.list.table,
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
  entities.field.table,
  {
    name: "subscriber",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      address: "text",
      address_key: "text",
      first_name: "text",
      last_name: "text",
      gender: "text",
      birthday: "text",
      country: "text",
      imported: "integer",
      known_since: "integer",
      ...suppressions,
    },
  },
  {
    name: "membership",
    key: ["list_id", "subscriber_id"],
    columns: {
      account_id: "integer",
      list_id: "integer",
      subscriber_id: "integer",
      joined_at: "integer",
      status: "integer",
    },
  },
  {
    name: "custom_value",
    key: ["subscriber_id", "field_id"],
    columns: {
      account_id: "integer",
      subscriber_id: "integer",
      field_id: "integer",
      value: "text",
      given_at: "integer",
      key_id: "integer",
      import_id: "integer",
    },
  },
  {
    name: "history",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      subscriber_id: "integer",
      at: "integer",
      kind: "text",
      origin: "text",
      key_id: "integer",
      campaign_id: "integer",
      list_id: "integer",
      detail: "text",
      import_id: "integer",
      replaced: "text",
      operator_name: "text",
      user_id: "integer",
    },
  },
  entities.importBatch.table,
  entities.auditEntry.table,
  entities.block.table,
  {
    name: "erased",
    key: ["account_id", "hash"],
    columns: {
      account_id: "integer",
      hash: "bytes",
      erased_at: "integer",
      ...suppressions,
    },
  },
  // Before the campaigns: a campaign may name its sender.
  entities.sender.table,
  entities.campaign.table,
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
  // Of campaigns that Mailroll sends itself.
  entities.campaignContent.table,
  entities.mailing.table,
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
  entities.refusal.table,
  noOp,
  entities.job.table,
  { name: "installation_secret", key: ["name"], columns: { name: "text", secret: "bytes" } },
];
