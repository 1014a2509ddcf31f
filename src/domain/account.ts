/** An account owns everything else. Accounts are isolated from each other. */
import type { Id } from "./id.ts";
export type AccountId = Id<"AccountId">;

export interface Account {
  readonly id: AccountId;
  readonly name: string;
  /** Default country (alpha-2) for telephone numbers in national format. */
  readonly country: string | null;
  /** null: no limit. */
  readonly limitSubscribers: number | null;
  readonly limitFields: number | null;
  readonly activeSubscribers: number;
  readonly createdAt: number;
}
/**
 * Field limit of a new account: more than a legitimate one needs, and few enough to process all of them in a
 * call.
 */
export const NEW_ACCOUNT_FIELDS = 1000;

/** undefined keeps a setting; null removes it. */
export interface AccountSettings {
  readonly country?: string | null | undefined;
  readonly limitSubscribers?: number | null | undefined;
  readonly limitFields?: number | null | undefined;
}
