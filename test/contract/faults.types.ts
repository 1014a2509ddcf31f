/** Checked by the compiler: a fault after which the same request may succeed says when to try again. */
import { Fault } from "#contract/faults.ts";

export const throttled = new Fault("Throttled", "later", { retryAfterSeconds: 5 });
export const unavailable = new Fault("Unavailable", "later", { retryAfterSeconds: 5 });
export const internal = new Fault("InternalError", "a defect");
// @ts-expect-error without options
export const a = new Fault("Throttled", "later");
// @ts-expect-error without the seconds
export const b = new Fault("Unavailable", "later", { cause: null });
// @ts-expect-error null is no number of seconds
export const c = new Fault("Throttled", "later", { retryAfterSeconds: null });
// @ts-expect-error a fault that no repetition mends
export const d = new Fault("InvalidApiKey", "wrong", { retryAfterSeconds: 5 });
