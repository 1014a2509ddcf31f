/** Requests with an idempotency key. Their writes are made through `Store.idempotent`. */
import type { StoredRequest } from "../idempotency.ts";

export interface Requests {
  /** Whether a write of this very request is committed, within the time that keys are kept. */
  wasExecuted(request: Omit<StoredRequest, "at">): Promise<boolean>;
}
