/**
 * Every table of an installation with its columns, once for all stores: the names are the same everywhere.
 * Column types and the rest of the schema are up to each store; a test compares this list with the schemas.
 */
import { stateCounters, suppressionColumns } from "../reads/who-counts.ts";
import { campaignTables } from "./campaign-tables.ts";
import { senderTable, sendingTables } from "./sending-tables.ts";
import { numberTables } from "./statistics-tables.ts";
import { userTables } from "./user-tables.ts";

export type ColumnKind = "integer" | "text" | "boolean" | "bytes";

export interface Table {
  readonly name: string;
  /** Unique within an installation; rows are read in this order. */
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

const suppressions: Table["columns"] = Object.fromEntries(
  suppressionColumns.map((column) => [column, "integer"]),
);

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
  {
    name: "account",
    key: ["id"],
    columns: {
      id: "integer",
      name: "text",
      country: "text",
      limit_subscribers: "integer",
      limit_fields: "integer",
      ...Object.fromEntries(stateCounters.map((counter) => [counter, "integer"] as const)),
      refused_rows: "integer",
      refused_bytes: "integer",
      created_at: "integer",
      erasure_key: "bytes",
      is_deleting: "boolean",
      link_secret: "bytes",
    },
  },
  {
    name: "api_key",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      hash: "bytes",
      hint: "text",
      label: "text",
      scope: "text",
      created_at: "integer",
      expires_at: "integer",
      revoked_at: "integer",
      last_used_at: "integer",
      length: "integer",
      last_used_from: "text",
    },
  },
  ...userTables,
  {
    name: "list",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      name: "text",
      created_at: "integer",
      member_count: "integer",
      is_deleting: "boolean",
    },
  },
  ...numberTables,
  {
    name: "field",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      name: "text",
      name_key: "text",
      data_type: "text",
      is_private: "boolean",
      created_at: "integer",
      is_deleting: "boolean",
    },
  },
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
  {
    name: "import_batch",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      list_id: "integer",
      file_name: "text",
      started_by: "text",
      started_kind: "text",
      started_at: "integer",
      finished_at: "integer",
      counts: "text",
    },
  },
  {
    name: "audit",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      at: "integer",
      actor_kind: "text",
      actor_name: "text",
      came_from: "text",
      action: "text",
      thing: "text",
      thing_id: "text",
      changed_from: "text",
      changed_to: "text",
    },
  },
  {
    name: "block",
    key: ["account_id", "pattern"],
    columns: { account_id: "integer", pattern: "text", created_at: "integer" },
  },
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
  senderTable,
  ...campaignTables,
  ...sendingTables,
  {
    name: "refused",
    key: ["id"],
    columns: {
      id: "integer",
      account_id: "integer",
      operation: "text",
      args: "text",
      is_cut: "boolean",
      outcome: "text",
      key_id: "integer",
      fingerprint: "bytes",
      count: "integer",
      first_at: "integer",
      last_at: "integer",
    },
  },
  noOp,
  {
    name: "job",
    key: ["id"],
    columns: {
      id: "integer",
      name: "text",
      kind: "text",
      account_id: "integer",
      args: "text",
      progress: "text",
      created_at: "integer",
      due_at: "integer",
      attempts: "integer",
      last_error: "text",
      owner: "text",
      leased_until: "integer",
      epoch: "integer",
      actor_kind: "text",
      actor_name: "text",
      done: "integer",
      total: "integer",
      result: "text",
      cancelled_at: "integer",
      ended_at: "integer",
      ending: "text",
    },
  },
  { name: "installation_secret", key: ["name"], columns: { name: "text", secret: "bytes" } },
];
