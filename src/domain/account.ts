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
/** undefined leaves a setting as it is; null lifts it. */
export interface AccountSettings {
  readonly country?: string | null | undefined;
  readonly limitSubscribers?: number | null | undefined;
  readonly limitFields?: number | null | undefined;
}
