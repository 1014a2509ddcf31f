/** For how long a process owns a batch of recipients, unless it extends the lease. */
export const LEASE_MS = 20_000;
export const EXTEND_MS = 7000;
