/** Messages for tests of relays. */
import { Buffer } from "node:buffer";
import type { OutgoingMessage } from "#domain/sending/hand-over.ts";

export const text = "From: a@example.org\r\nSubject: Hello\r\n\r\nHello.\r\n";

export const messageTo = (
  to: string,
  body = text,
  values: Partial<OutgoingMessage> = {},
): OutgoingMessage => ({
  name: "1-1",
  envelope: { from: "news@example.org", to },
  bytes: Buffer.from(body),
  needsSmtpUtf8: false,
  ...values,
});

/** More than the sockets of both sides take while nobody reads. */
export const hugeBody = `Subject: Huge\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(100_000)}`;
/** One that cannot be sent as it is: a line begins with a dot. */
export const hugeDottedBody = `${hugeBody}.hidden\r\n`;
