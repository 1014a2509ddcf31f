/**
 * What a relay is for those who send: something that takes complete messages and says what became of them.
 */
import type { HandOver, OutgoingMessage } from "#domain/sending/hand-over.ts";

/** Nothing was handed over: the recipient is queued again. */
export const notBegun = (text: string): HandOver => ({
  kind: "lost",
  stage: "connect",
  mayBeHandedOver: false,
  text,
});

export interface RelayTransport {
  /** How many messages are handed over at a time; further ones wait. */
  readonly connections: number;
  /**
   * Never rejects, and always comes to an end. `mayBegin` is asked when there is a connection, which can take
   * a minute, just before the relay learns of the message. If it says no, the message is `not begun`.
   */
  send(message: OutgoingMessage, mayBegin?: () => boolean): Promise<HandOver>;
  /** Takes no more messages. Those on their way have ten seconds; then their connections are ended. */
  close(): Promise<void>;
}
