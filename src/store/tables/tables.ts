/**
 * Every table of an installation with its columns, once for all stores: the names are the same everywhere.
 * Column types and the rest of the schema are up to each store; a test compares this list with the schemas.
 */
import { suppressionColumns } from "../reads/who-counts.ts";
import * as entities from "./entities.ts";
import type { Table } from "./entity.ts";

/** Columns of one kind. */
const integers = (...names: readonly string[]): Table["columns"] =>
  Object.fromEntries(names.map((name) => [name, "integer"]));
const texts = (...names: readonly string[]): Table["columns"] =>
  Object.fromEntries(names.map((name) => [name, "text"]));

const suppressions = integers(...suppressionColumns);
/** A table of the ledger of a campaign. */
const ledgerTable = (name: string, columns: Table["columns"]): Table => ({
  name,
  key: ["campaign_id", "subscriber_id"],
  columns: { ...integers("account_id", "campaign_id", "subscriber_id"), ...columns },
});

/** The store assigns the table's ids and never reuses them. */
export const givesIds = ({ columns }: Table): boolean => "id" in columns;

const noOp: Table = {
  name: "no_op",
  key: ["account_id", "operation", "outcome"],
  columns: { account_id: "integer", ...texts("operation", "outcome"), count: "integer" },
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
      ...texts("address", "address_key", "name"),
      is_administrator: "boolean",
      ...integers("created_at", "disabled_at"),
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
    columns: { ...integers("account_id", "user_id"), role: "text" },
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
    columns: integers("account_id", "list_id", "day", "gained", "lost"),
  },
  {
    name: "account_day",
    key: ["account_id", "day"],
    columns: integers("account_id", "day", "gained", "lost"),
  },
  // A program is the name and version of a product, cut out of the User-Agent: no personal data either.
  {
    name: "call_day",
    key: ["account_id", "key_id", "day", "program"],
    columns: {
      ...integers("account_id", "key_id", "day"),
      program: "text",
      ...integers("calls", "refusals", "faults"),
    },
  },
  {
    name: "client_quirk",
    key: ["account_id", "key_id", "quirk"],
    columns: { ...integers("account_id", "key_id"), ...texts("quirk", "program"), seen_at: "integer" },
  },
  entities.field.table,
  {
    name: "subscriber",
    key: ["id"],
    columns: {
      ...integers("id", "account_id"),
      ...texts("address", "address_key", "first_name", "last_name", "gender", "birthday", "country"),
      ...integers("imported", "known_since", "import_id"),
      ...suppressions,
    },
  },
  {
    name: "membership",
    key: ["list_id", "subscriber_id"],
    columns: integers(
      "account_id",
      "list_id",
      "subscriber_id",
      "joined_at",
      "status",
      "import_id",
      "confirmed_by",
    ),
  },
  {
    name: "custom_value",
    key: ["subscriber_id", "field_id"],
    columns: {
      ...integers("account_id", "subscriber_id", "field_id"),
      value: "text",
      ...integers("given_at", "key_id", "import_id"),
    },
  },
  {
    name: "history",
    key: ["id"],
    columns: {
      ...integers("id", "account_id", "subscriber_id", "at"),
      ...texts("kind", "origin"),
      ...integers("key_id", "campaign_id", "list_id"),
      detail: "text",
      import_id: "integer",
      ...texts("replaced", "operator_name"),
      user_id: "integer",
    },
  },
  entities.importBatch.table,
  entities.auditEntry.table,
  entities.block.table,
  {
    name: "erased",
    key: ["account_id", "hash"],
    columns: { account_id: "integer", hash: "bytes", erased_at: "integer", ...suppressions },
  },
  // Before the campaigns: a campaign may name its sender.
  entities.sender.table,
  entities.campaign.table,
  {
    name: "campaign_list",
    key: ["campaign_id", "list_id"],
    columns: {
      ...integers("account_id", "campaign_id", "list_id"),
      name: "text",
      list_created_at: "integer",
    },
  },
  {
    name: "campaign_event",
    key: ["id"],
    columns: {
      ...integers("id", "account_id", "campaign_id"),
      event: "text",
      ...integers("subscriber_id", "at", "joined_at"),
      ...texts("first_name", "last_name", "address"),
    },
  },
  // Of campaigns that Mailroll sends itself.
  entities.campaignContent.table,
  {
    name: "campaign_version",
    key: ["campaign_id", "number"],
    columns: {
      ...integers("account_id", "campaign_id", "number", "begun_at", "saved_at"),
      ...texts("actor_kind", "actor_name", "content"),
    },
  },
  entities.mailing.table,
  ledgerTable("recipient", { ...integers("state", "at", "code") }),
  ledgerTable("recipient_reply", { reply: "text" }),
  ledgerTable("recipient_retry", { ...integers("due_at", "attempts", "since") }),
  ledgerTable("recipient_earlier", { ...integers("state", "at", "code"), reply: "text" }),
  entities.refusal.table,
  noOp,
  entities.job.table,
  // The events come after the subscribers, whom they may name.
  {
    name: "webhook",
    key: ["account_id", "sender_id"],
    columns: {
      ...integers("account_id", "sender_id"),
      provider: "text",
      secret_hash: "bytes",
      ...texts("key", "topic", "pending_topic", "pending_url"),
      ...integers("created_at", "last_event_at"),
      counts: "text",
    },
  },
  {
    name: "provider_event",
    key: ["account_id", "sender_id", "event_key"],
    columns: {
      ...integers("account_id", "sender_id"),
      ...texts("event_key", "kind"),
      ...integers("at", "received_at", "kept_until", "subscriber_id", "campaign_id"),
      ...texts("address", "address_key", "detail"),
      is_cleared: "boolean",
    },
  },
  { name: "pace", key: ["key"], columns: { ...texts("key", "pace"), used_at: "integer" } },
  {
    name: "program",
    key: ["name"],
    columns: {
      ...texts("name", "version", "address"),
      ...integers("schema_version", "since", "backed_up_at"),
      is_demo: "boolean",
      is_filling: "boolean",
    },
  },
  { name: "installation_secret", key: ["name"], columns: { name: "text", secret: "bytes" } },
];
