/** Subscriber lists and their members. */
import type { Audited } from "../access/audit.ts";
import type { Origin } from "../access/origin.ts";
import type { Campaign } from "../campaign.ts";
import type { FieldId } from "../field/field.ts";
import type { Lease, LeaseRequest } from "../job/job.ts";
import type { List, ListId, ListValues } from "../list.ts";
import type { BasicData, Membership, Suppressions } from "../subscriber/subscriber.ts";
import type { Needed } from "./campaigns.ts";
import type { Beginning, OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

/** A member of a list, whether the membership is in effect, suspended or pending. */
export interface Member extends Membership {
  readonly address: string;
  readonly suppressions: Suppressions;
  readonly data: BasicData;
  readonly values: readonly { readonly field: FieldId; readonly value: string }[];
}
export interface DeleteList extends OfAccount, Audited {
  readonly id: ListId;
  readonly at: number;
  readonly origin: Origin;
  /** For the job that does what is left after the first batch. */
  readonly lease: LeaseRequest;
}
/** The list as it was; `job` is null if it is gone. */
export interface DeletedList {
  readonly list: List;
  readonly job: Lease | null;
}

/** What the deletion of a list is about. */
export interface ListDeletion {
  readonly list: List;
  /** How many campaigns were recorded for it. They keep its name. */
  readonly campaigns: number;
  /** The account has more campaigns than were looked at, which were the newest. */
  readonly hasMoreCampaigns: boolean;
  /** A campaign because of which it cannot be deleted; null: none. */
  readonly neededBy: Campaign | null;
}

export interface Lists {
  /** Some whose names begin with the text, among a bounded number of them. */
  named(args: Beginning): Promise<readonly List[]>;
  /** In order of id. */
  readonly all: Listing<OfAccount, List>;
  /** The lists with these ids. */
  some(args: OfAccount & { readonly ids: readonly ListId[] }): Promise<readonly List[]>;
  /** Also a list that is being deleted. null: the account has no such list. */
  byId(args: OfAccount & { readonly id: ListId }): Promise<List | null>;
  /** In order of creation. */
  readonly members: Listing<OfAccount & { readonly list: ListId }, Member>;
  create(args: OfAccount & Audited & ListValues & { readonly at: number }): Promise<List>;
  /**
   * Creates a list with a given id. null: another list of the installation has the id, or a
   * campaign was sent to a list that had it.
   */
  adopt(
    args: OfAccount & Audited & ListValues & { readonly id: ListId; readonly at: number },
  ): Promise<List | null>;
  /** Changes what is given. null: the account has no such list. */
  set(args: OfAccount & Audited & Partial<ListValues> & { readonly id: ListId }): Promise<List | null>;
  /** null: the account has no such list. */
  deletion(args: OfAccount & { readonly id: ListId }): Promise<ListDeletion | null>;
  /**
   * Deletes a list, or the first of its memberships; then no subscriber can be added to it any more. A list
   * that a campaign needs stays. null: the account has no such list.
   */
  delete(args: DeleteList): Promise<DeletedList | Needed | null>;
}
