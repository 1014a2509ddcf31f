/**
 * If the database does not answer, the caller gets the fault Unavailable, in a call and in the middle of a
 * list.
 */
import { Fault, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";

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
