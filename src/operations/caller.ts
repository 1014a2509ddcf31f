/** Who calls, and what a handler gets to work with. */
import type { AccountId } from "../domain/account.ts";
import type { KeyId } from "../domain/key.ts";
import type { Origin } from "../domain/origin.ts";
import type { Clock, Store } from "../domain/ports.ts";
import type { Asked } from "../domain/refusal.ts";
import type { FailedKeys } from "./failed-keys.ts";
import type { KeyRate } from "./key-rate.ts";
import type { KeyRing } from "./key-ring.ts";

export interface Services {
  readonly store: Store;
  readonly clock: Clock;
}

/** What the guard in front of the handlers decides by. */
export interface Guard extends Services {
  readonly keys: KeyRing;
  readonly failedKeys: FailedKeys;
  /** null: a key may call as often as it likes. */
  readonly keyRate: KeyRate | null;
}

/** Everything a command carries besides what it asks for. `asked` is null where a refusal is not to be kept. */
export interface Caller {
  readonly account: AccountId;
  readonly origin: Origin;
  readonly at: number;
  readonly asked: Asked | null;
}

/** Filled in while a call is served, for the log line. Never a key, never an address. */
export interface CallNotes {
  /** Where the call comes from, to count by; worked out only where it is asked for. */
  readonly client: string;
  account: AccountId | null;
  key: KeyId | null;
}
