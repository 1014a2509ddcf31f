/** Custom fields: names, types, and the rule for creating one. */
import type { Decision } from "../decision.ts";
import type { Id } from "../id.ts";

export type FieldId = Id<"FieldId", bigint>;
/** Ids have 64 bits. */
export const MAX_CHOSEN_FIELD_ID: FieldId = 9_000_000_000_000_000_000n;
/**
 * Automatic assignment continues above a chosen id, unless that is more than this: programs read ids from
 * JSON as floating-point numbers, which are exact up to 2^53. So 2^32 ids are left that are. A chosen id
 * among them is skipped.
 */
export const MAX_CONTINUED_ID: FieldId = 2n ** 53n - 2n ** 32n;
export const dataTypes = [
  "BOOLEAN",
  "REAL",
  "STRING",
  "DATE",
  "EMAIL",
  "GENDER",
  "COUNTRY",
  "CONSENT",
  "ORIGIN",
  "SCORE",
  "PHONE",
  "PERMISSION",
  "GDPR",
] as const;
export type DataType = (typeof dataTypes)[number];

export interface Field {
  readonly id: FieldId;
  readonly name: string;
  readonly type: DataType;
  readonly isPrivate: boolean;
  readonly createdAt: number;
}
/** What users set and change, and thereby its version (`version.ts`). */
export const changeableField = ["name", "type", "isPrivate"] as const;
export type NewField = Pick<Field, "name" | "type" | "isPrivate">;

export interface FieldState {
  readonly exists: boolean;
  readonly count: number;
  readonly limit: number | null;
}
export type AddFieldOutcome = "Done" | "InvalidFieldName" | "FieldExists" | "LimitReached";

export function decideAddField(
  name: string | null,
  state: FieldState,
): Decision<AddFieldOutcome, { readonly kind: "createField"; readonly name: string }> {
  if (name === null) return { outcome: "InvalidFieldName", changes: [] };
  if (state.exists) return { outcome: "FieldExists", changes: [] };
  if (state.limit !== null && state.count >= state.limit) return { outcome: "LimitReached", changes: [] };
  return { outcome: "Done", changes: [{ kind: "createField", name }] };
}
