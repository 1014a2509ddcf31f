import type { Relay } from "../../domain/sending/relay.ts";

/** What senders are checked against, in this process. */
export interface SendingSettings {
  /** The relay of senders that have none of their own; may contain a password. */
  readonly relay: string;
  /** null: those of the system. */
  readonly nameServers: readonly string[] | null;
  /**
   * Connects and logs in, within seconds, and sends nothing. What was wrong, in the relay's words; null:
   * nothing. Never rejects.
   */
  readonly tryRelay: (relay: Relay) => Promise<string | null>;
}
