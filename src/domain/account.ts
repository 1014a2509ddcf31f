/** An account owns everything else; nothing is visible across accounts. */

export type AccountId = number;

export interface Account {
  readonly id: AccountId;
  readonly name: string;
  /** Default country (alpha-2) for telephone numbers in national form. */
  readonly country: string | null;
  /** null: no limit. */
  readonly limitSubscribers: number | null;
  readonly limitFields: number | null;
  readonly activeSubscribers: number;
  readonly createdAt: number;
}
/**
 * Of a new account: more than an honest one needs, and few enough that all of them together are little work.
 */
export const NEW_ACCOUNT_FIELDS = 1000;

/** undefined leaves a setting as it is; null removes it. */
export interface AccountSettings {
  readonly country?: string | null | undefined;
  readonly limitSubscribers?: number | null | undefined;
  readonly limitFields?: number | null | undefined;
}
