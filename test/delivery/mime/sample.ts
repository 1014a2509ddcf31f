/** Messages for the tests of composing, and a reader of what was composed. */

import type { ComposedMessage, OutgoingMessage, SendingIdentity } from "#delivery/messages.ts";
import { composeMessage, makeComposer } from "#delivery/mime/compose.ts";

export const identity: SendingIdentity = {
  account: 3,
  campaign: 12,
  fromAddress: "news@example.org",
  fromName: "Garden Club",
  replyTo: null,
  bounceDomain: null,
  dkim: null,
  headers: [],
  secret: Buffer.alloc(32, 7),
};
export const outgoing: OutgoingMessage = {
  rendered: { subject: "News", html: "<p>Hello</p>", text: "Hello" },
  subscriber: 345,
  address: "ada@example.com",
  name: "Ada Lovelace",
  unsubscribeUrl: "https://mail.example.org/u/AAECAwQFBgcICQoLDA0ODw",
  date: Date.UTC(2026, 2, 1, 9, 30),
};
export const composed = (
  message: Partial<OutgoingMessage> = {},
  sender: Partial<SendingIdentity> = {},
): ComposedMessage => composeMessage(makeComposer({ ...identity, ...sender }), { ...outgoing, ...message });

export interface ReadPart {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}
/** Unfolded headers by lower-case name; a name that occurs twice throws. */
export function readPart(text: string): ReadPart {
  const split = text.indexOf("\r\n\r\n");
  const headers = new Map<string, string>();
  for (const line of text
    .slice(0, split)
    .replaceAll(/\r\n(?=[ \t])/g, "")
    .split("\r\n")) {
    const [, name = "", value = ""] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === "") throw new Error(`not a header: ${JSON.stringify(line)}`);
    if (headers.has(name.toLowerCase())) throw new Error(`twice: ${name}`);
    headers.set(name.toLowerCase(), value);
  }
  return { headers, body: text.slice(split + 4) };
}
export function decodeBody({ headers, body }: ReadPart): string {
  if (headers.get("content-transfer-encoding") === "base64") return Buffer.from(body, "base64").toString();
  const bytes = body
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
/** The parts of a multipart message. */
export function partsOf(message: ReadPart): readonly ReadPart[] {
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(message.headers.get("content-type") ?? "") ?? [];
  const [, ...parts] = `\r\n${message.body}`.split(`\r\n--${boundary}`);
  return parts.slice(0, -1).map((part) => readPart(part.slice(2)));
}
/** A character may be split between two encoded words only if they are decoded together: here it is not. */
export const decodeWords = (value: string): string =>
  value
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?UTF-8\?B\?([^?]*)\?=/g, (_, digits: string) => Buffer.from(digits, "base64").toString());
