/** Checked by the compiler: ids of different kinds of things cannot be confused. */
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { FieldId } from "#domain/field/field.ts";
import type { ListId } from "#domain/list.ts";
import type { RefusalId } from "#domain/refused-call.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";

declare function open(account: AccountId, list: ListId, campaign: CampaignId): void;
declare const account: AccountId;
declare const list: ListId;
declare const campaign: CampaignId;
declare const field: FieldId;
declare const subscriber: SubscriberId;
declare const refusal: RefusalId;

open(account, list, campaign);
open(1, 2, 3);
// @ts-expect-error two ids in the wrong order
open(list, account, campaign);
// @ts-expect-error the id of a subscriber where a list is expected
open(account, subscriber, campaign);
// @ts-expect-error a refused call is no campaign
open(account, list, refusal);
// @ts-expect-error fields have 64-bit ids
open(account, list, field);
