/**
 * The connections of the thread, as numbered slots for each set of relays. A message gets a slot before it
 * may be sent, and holds it until its result is known. Which connection it then uses is left to the
 * transport.
 */
import type { Relay } from "#domain/sending/relay.ts";
import type { RelayTransport } from "../smtp/transport.ts";
import type { Slot } from "./protocol.ts";

export interface OpenRelays {
  readonly transport: RelayTransport;
  readonly free: Slot[];
  /** How many campaigns use it. */
  users: number;
}

export class RelaySlots {
  readonly #open: (relays: readonly Relay[]) => RelayTransport;
  readonly #relays = new Map<string, OpenRelays>();
  #lastSlot = 0;

  constructor(open: (relays: readonly Relay[]) => RelayTransport) {
    this.#open = open;
  }

  /** How many messages are being sent, or are about to be. */
  get used(): number {
    let used = 0;
    for (const { transport, free } of this.#relays.values()) used += transport.connections - free.length;
    return used;
  }

  /** Campaigns with the same relays share their connections. */
  acquire(relays: readonly Relay[]): OpenRelays {
    const key = JSON.stringify(relays);
    let open = this.#relays.get(key);
    if (open === undefined) {
      const transport = this.#open(relays);
      const free = Array.from({ length: transport.connections }, () => {
        this.#lastSlot += 1;
        return this.#lastSlot;
      });
      open = { transport, free, users: 0 };
      this.#relays.set(key, open);
    }
    open.users += 1;
    return open;
  }

  /**
   * Idle connections end by themselves; relays that nobody uses are closed, so that their secrets are
   * forgotten.
   */
  release(relays: OpenRelays): void {
    relays.users -= 1;
    if (relays.users > 0 || relays.free.length < relays.transport.connections) return;
    for (const [key, open] of this.#relays) if (open === relays) this.#relays.delete(key);
    void relays.transport.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#relays.values()].map(({ transport }) => transport.close()));
  }
}
