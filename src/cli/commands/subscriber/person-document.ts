/** The data of `subscriber export` that its text report shows. */

import type { NamedReplacement } from "../../../admin/subscribers/replaced.ts";
import type { SuppressionKind } from "../../../domain/subscriber/subscriber.ts";

/** A subset of the document that --json prints. */
export interface PersonDocument {
  readonly exportedAt: number;
  readonly account: { readonly name: string };
  readonly address: string;
  readonly person: Person | null;
  readonly stillHoldsAfterErasure: Suppressions | null;
  readonly blocks: readonly { readonly pattern: string; readonly createdAt: number }[];
  readonly blockChanges?: readonly BlockChange[];
  readonly refusedCalls: readonly RefusedCall[];
  /** If somebody with this address is a user of the account. */
  readonly user?: UserOfAccount | null;
}
export interface UserOfAccount {
  readonly name: string;
  readonly role: string;
  readonly createdAt: number;
  readonly disabledAt: number | null;
}
export type Suppressions = Readonly<Record<SuppressionKind, string | null>>;
export interface Person {
  readonly address: string;
  readonly knownSince: number;
  readonly data: Readonly<
    Record<"firstName" | "lastName" | "gender" | "birthday" | "country", string | null>
  >;
  readonly suppressions: Suppressions;
  readonly values: readonly {
    readonly name: string;
    readonly value: string;
    readonly at: number;
    readonly through: Key | null;
    readonly import?: number | null;
  }[];
  readonly lists: readonly {
    readonly name: string;
    readonly joinedAt: number;
    readonly status: string;
    readonly counts: boolean;
  }[];
  readonly history: readonly HistoryItem[];
  readonly campaignResults: readonly {
    readonly campaign: { readonly name: string };
    readonly event: string;
    readonly at: number;
    readonly joinedAt: number;
  }[];
  readonly campaigns?: readonly {
    readonly campaign: { readonly name: string };
    readonly state: string;
    readonly at: number;
    readonly code: number | null;
    readonly skipped: string | null;
    readonly reply: string | null;
    readonly earlier?: {
      readonly state: string;
      readonly at: number;
      readonly code: number | null;
      readonly reply: string | null;
    } | null;
  }[];
}
export interface Key {
  readonly key: number;
  readonly hint: string | null;
  readonly name: string | null;
}
interface Named {
  readonly id: number;
  readonly name: string | null;
}
export interface HistoryItem {
  readonly at: number;
  readonly kind: string;
  readonly origin: string;
  readonly through: Key | null;
  readonly campaign: Named | null;
  readonly list: Named | null;
  readonly detail: string | null;
  readonly import?: number | null;
  readonly operator?: string | null;
  /** The address of the user. */
  readonly user?: string | null;
  readonly replaced?: readonly NamedReplacement[] | null;
}
export interface BlockChange {
  readonly at: number;
  readonly action: string;
  readonly origin: string;
  readonly operator: string | null;
  readonly user?: string | null;
}
export interface RefusedCall {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly arguments: unknown;
  readonly through: Key | null;
}
