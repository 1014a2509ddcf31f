/** The caller of an operation, and what a handler works with. */

import type { Authenticator } from "#auth/authenticator.ts";
import { Fault, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import type { Operations } from "#contract/operations.ts";
import type { Answer, Input, Pages } from "#contract/service.ts";
import type { Clock } from "#domain/clocks.ts";
import type { Command } from "#domain/ports/command.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";

/** Rows of a listing as records, page by page, never more than one page at a time. */
export async function* mapPages<Row, RecordOf>(
  pages: Pages<Row>,
  toRecord: (row: Row) => RecordOf,
): AsyncGenerator<readonly RecordOf[]> {
  for await (const page of orUnavailable(pages)) yield page.map(toRecord);
}

/**
 * If the database does not answer, the caller gets the fault Unavailable, in a call and in the middle of a
 * list.
 */
const UNAVAILABLE = "The service cannot reach its database. Try the same call again in a few seconds.";

export const asFault = (error: unknown): unknown =>
  error instanceof StoreUnavailable
    ? new Fault("Unavailable", UNAVAILABLE, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS })
    : error;

export async function* orUnavailable<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    throw asFault(error);
  }
}

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

/** An operation without authentication and authorization, which the guard does before it. */
export type Perform<Name extends keyof Operations> = (
  input: Input<Operations[Name]>,
  caller: Caller,
  services: Services,
) => Promise<Answer<Operations[Name]>>;

/** Any operation, as the guard and the replay of refused calls see it. */
export type AnyPerform = (
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  services: Services,
) => Promise<unknown>;
