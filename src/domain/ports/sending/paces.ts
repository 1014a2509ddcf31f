/** Paces of relays and limits of senders by second: one for all processes. Rules are in `pace.ts`. */
import type { Permits } from "../../sending/pace.ts";

export interface PaceOfRelay {
  /** As `paceKeyOf` returns it. */
  readonly key: string;
  /** Messages a second. */
  readonly perSecond: number;
}

export interface Paces {
  /** Only of relays that have refused messages because they came too fast. */
  ofRelays(args: { readonly keys: readonly string[]; readonly now: number }): Promise<readonly PaceOfRelay[]>;
  /**
   * What a process asks for when it has used its permits, with what it has seen since it asked last. null: no
   * permits are needed, because the relay has refused nothing for a day.
   */
  take(args: {
    readonly key: string;
    /** Of a sender: messages a second, which do not change by themselves. null: of a relay. */
    readonly limit: number | null;
    /** Messages that the relay has accepted. */
    readonly accepted: number;
    /**
     * The relay has refused messages because they came too fast, after it had accepted so many in a second.
     */
    readonly refusedAfter: number | null;
    readonly now: number;
  }): Promise<{
    readonly permits: Permits;
    /** The relay accepts nothing at all, however slow. */
    readonly acceptsNothing: boolean;
  } | null>;
}
