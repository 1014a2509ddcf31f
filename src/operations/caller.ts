/** The caller of an operation, and what a handler works with. */
import type { Authenticator } from "../auth/authenticator.ts";
import type { AccountId } from "../domain/account.ts";
import type { Origin } from "../domain/origin.ts";
import type { Clock, Store } from "../domain/ports.ts";
import type { RecordedCall } from "../domain/refusal.ts";

export interface Services {
  readonly store: Store;
  readonly clock: Clock;
}

/** What the guard in front of the handlers needs. */
export interface Guard extends Services {
  readonly authenticator: Authenticator;
}

/**
 * Everything a command carries besides what it asks for. `recordedCall` is null where a refusal is not to be
 * kept.
 */
export interface Caller {
  readonly account: AccountId;
  readonly origin: Origin;
  readonly at: number;
  readonly recordedCall: RecordedCall | null;
}
