/**
 * Which connections carry a message whose result is not stored yet. The next message of such a connection is
 * marked as sending at the earliest in the transaction that stores the result; so there are never more
 * recipients in the state `sending` than connections.
 */
import type { Slot } from "../threads/protocol.ts";

export class UnstoredSlots {
  readonly #used = new Set<Slot>();

  /** From the mark until the result is stored. */
  use(slot: Slot): void {
    this.#used.add(slot);
  }
  release(slot: Slot): void {
    this.#used.delete(slot);
  }
  isFree(slot: Slot): boolean {
    return !this.#used.has(slot);
  }
}
