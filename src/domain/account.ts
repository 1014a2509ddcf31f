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
/** What users set and change, and thereby its version (`version.ts`). */
export const changeableAccount = ["name", "country", "limitSubscribers", "limitFields"] as const;
/**
 * Field limit of a new account: more than a legitimate one needs, and few enough to process all of them in a
 * call.
 */
export const NEW_ACCOUNT_FIELDS = 1000;

/** undefined keeps a value; null removes it. */
export interface AccountSettings {
  readonly name?: string | undefined;
  readonly country?: string | null | undefined;
  readonly limitSubscribers?: number | null | undefined;
  readonly limitFields?: number | null | undefined;
}
