/** Custom fields: names, types, and the rule for creating one. */

import type { Decision } from "../decision.ts";
import type { Id } from "../id.ts";

export type FieldId = Id<"FieldId", bigint>;
/** Ids have 64 bits; ids above this one are left for automatic assignment. */
export const MAX_CHOSEN_FIELD_ID: FieldId = 9_000_000_000_000_000_000n;
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
