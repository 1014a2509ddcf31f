/**
 * The state of a thread's connections, in memory that it shares with the store: metrics are read without
 * asking the thread.
 */
import type { StoreLoad } from "#domain/ports/store.ts";

type Connections = StoreLoad["connections"];
export type SharedConnections = Int32Array<SharedArrayBuffer>;

export const newSharedConnections = (): SharedConnections =>
  new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));

export function shareConnections(shared: SharedConnections, { busy, idle, waiting }: Connections): void {
  for (const [index, count] of [busy, idle, waiting].entries()) Atomics.store(shared, index, count);
}

export const sharedConnections = (shared: SharedConnections): Connections => ({
  busy: Atomics.load(shared, 0),
  idle: Atomics.load(shared, 1),
  waiting: Atomics.load(shared, 2),
});

/** What the thread for long lists is given. */
export interface ListThreadData {
  readonly url: string;
  readonly replica: string | null;
  readonly shared: SharedConnections;
}
