/** The caller of an operation, and what a handler works with. */
import type { Authenticator } from "#auth/authenticator.ts";
import type { Clock } from "#domain/clocks.ts";
import type { Command } from "#domain/ports/command.ts";
import type { Store } from "#domain/ports/store.ts";

export interface Services {
  readonly store: Store;
  readonly clock: Clock;
}

/** What the guard in front of the handlers needs. */
export interface Guard extends Services {
  readonly authenticator: Authenticator;
}

/** Everything a command carries besides what it asks for. */
export type Caller = Command;
