/** Where a change came from. */
import type { Id } from "../id.ts";
import type { KeyId } from "./key.ts";
import type { UserId } from "./user.ts";

/** Of the batch that an import is recorded as. */
export type ImportId = Id<"ImportId">;

export type Origin =
  | { readonly kind: "key"; readonly key: KeyId }
  /** `batch` is null for a file of campaign events, and for imports from before batches were recorded. */
  | { readonly kind: "import"; readonly batch: ImportId | null }
  /** `name`: the system user who ran the command; not known for entries from before it was stored. */
  | { readonly kind: "operator"; readonly name?: string }
  /** A user with a token, over the API. */
  | { readonly kind: "user"; readonly user: UserId }
  | { readonly kind: "link" | "bounce" };

export const originKinds = [
  "key",
  "import",
  "link",
  "bounce",
  "operator",
  "user",
] as const satisfies readonly Origin["kind"][];

export const keyOf = (origin: Origin): KeyId | null => (origin.kind === "key" ? origin.key : null);
export const operatorOf = (origin: Origin): string | null =>
  origin.kind === "operator" ? (origin.name ?? null) : null;
export const userOf = (origin: Origin): UserId | null => (origin.kind === "user" ? origin.user : null);
export const batchOf = (origin: Origin): ImportId | null => (origin.kind === "import" ? origin.batch : null);
