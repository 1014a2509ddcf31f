/** Custom fields. */
import type { Audited } from "../audit.ts";
import type { AddFieldOutcome, Field, FieldId, NewField } from "../field.ts";
import type { Command, OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

export interface Fields {
  /** In order of creation. */
  readonly all: Listing<OfAccount, Field>;
  add(args: Command & { readonly field: NewField | null }): Promise<AddFieldOutcome>;
  /** Creates a field with a given id, or the next one; otherwise returns why not. */
  create(
    args: OfAccount &
      Audited & { readonly id: FieldId | null; readonly field: NewField; readonly at: number },
  ): Promise<Field | Exclude<AddFieldOutcome, "Done"> | "IdTaken">;
  /** Values stay as they are. A field may be renamed to another spelling of its own name. */
  rename(
    args: OfAccount & Audited & { readonly id: FieldId; readonly name: string },
  ): Promise<Field | "FieldExists" | "UnknownField">;
}
