/** Who calls, and what a handler gets to work with. */
import type { AccountId } from "../domain/account.ts";
import type { KeyId } from "../domain/key.ts";
import type { Origin } from "../domain/origin.ts";
import type { Clock, Store } from "../domain/ports.ts";
import type { Asked } from "../domain/refusal.ts";
import type { KeyRing } from "./key-ring.ts";

export interface Services {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly clock: Clock;
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
  account: AccountId | null;
  key: KeyId | null;
}
