/** Replaced values under the names that their fields have today. */
import type { FieldId } from "#domain/field/field.ts";
import type { ReplacedValue } from "#domain/subscriber/history.ts";

export interface NamedReplacement {
  /** The name of a custom field, or of a basic value. */
  readonly field: string;
  /** Of a custom field; null for a basic value. */
  readonly fieldId: FieldId | null;
  readonly old: string;
  readonly new: string;
}

export const nameReplaced = (
  replaced: readonly ReplacedValue[],
  fieldNames: ReadonlyMap<FieldId, string>,
): readonly NamedReplacement[] =>
  replaced.map(({ field, ...values }) =>
    typeof field === "bigint"
      ? { field: fieldNames.get(field) ?? `field ${field}`, fieldId: field, ...values }
      : { field, fieldId: null, ...values },
  );
