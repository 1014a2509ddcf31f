/**
 * What a relay is for those who send: something that takes complete messages and says what became of them.
 */
import type { HandOver, OutgoingMessage } from "../../domain/sending/hand-over.ts";

export interface RelayTransport {
  /** How many messages are handed over at a time; further ones wait. */
  readonly connections: number;
  /** Never rejects, and always comes to an end. */
  send(message: OutgoingMessage): Promise<HandOver>;
  /** Takes no more messages. Those on their way have ten seconds; then their connections are ended. */
  close(): Promise<void>;
}
