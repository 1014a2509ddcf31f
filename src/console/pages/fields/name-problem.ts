/** A name that cannot be used is explained beside its field. */
import { refusalText } from "#admin/error-texts.ts";
import { Refused } from "#admin/kit/errors.ts";
import { FormRefused } from "../../kit/failures.ts";

export function besideName(error: unknown): never {
  if (error instanceof Refused && (error.outcome === "InvalidFieldName" || error.outcome === "FieldExists"))
    throw new FormRefused({ fields: { name: refusalText(error) } });
  throw error;
}
