/** Custom fields. */
import type { Audited } from "../access/audit.ts";
import type { Campaign } from "../campaign.ts";
import type { AddFieldOutcome, Field, FieldId, NewField } from "../field/field.ts";
import type { Lease, LeaseRequest } from "../job/job.ts";
import type { Needed } from "./campaigns.ts";
import type { Command, OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

export interface OfField extends OfAccount {
  readonly id: FieldId;
}
export interface DeleteField extends OfField, Audited {
  readonly at: number;
  /** For the job that does what is left after the first batch. */
  readonly lease: LeaseRequest;
}
/** The field as it was; `job` is null if it is gone. */
export interface DeletedField {
  readonly field: Field;
  readonly job: Lease | null;
}

/** How many subscribers have a value of each field, among the subscribers that were looked at. */
export interface FieldUsage {
  /** How many subscribers were looked at: all, or a random sample. */
  readonly subscribers: number;
  /** Whether the account has more. */
  readonly hasMore: boolean;
  /** Fields without a value are left out. */
  readonly counts: readonly { readonly field: FieldId; readonly values: number }[];
}

export interface Fields {
  /** In order of creation. */
  readonly all: Listing<OfAccount, Field>;
  /** The fields with these ids that are not being deleted. */
  some(args: OfAccount & { readonly ids: readonly FieldId[] }): Promise<readonly Field[]>;
  /** null: the account has no such field, or it is being deleted. */
  byId(args: OfField): Promise<Field | null>;
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
  /**
   * The field and how many subscribers have a value, among `limit` subscribers; `hasMore`: the account has
   * more; `neededBy`: a campaign because of which it cannot be deleted. null: no such field. Also of a field
   * that is being deleted.
   */
  withValueCount(
    args: OfField & { readonly limit: number },
  ): Promise<
    | (Field & { readonly values: number; readonly hasMore: boolean; readonly neededBy: Campaign | null })
    | null
  >;
  /** Of an account with more than `limit` subscribers, in a random sample of about a quarter of that. */
  usage(args: OfAccount & { readonly limit: number }): Promise<FieldUsage>;
  /**
   * Deletes a field, or the first of its values; then it does not exist for any caller. A field that the
   * filter of a campaign needs stays. null: the account has no such field.
   */
  delete(args: DeleteField): Promise<DeletedField | Needed | null>;
}
