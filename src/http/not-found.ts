/** What a client gets at an address that leads nowhere. Browsers may get a page, and programs plain text. */
import type { IncomingMessage } from "node:http";

export interface ErrorReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}
export interface ErrorReplies {
  /** No route has the path. */
  readonly notFound: (request: IncomingMessage) => ErrorReply;
  /** The URL cannot be parsed. */
  readonly badUrl: (request: IncomingMessage) => ErrorReply;
}

const plain = (text: string): ErrorReply => ({ headers: { "Content-Type": "text/plain" }, text });
export const notFound = plain("Not found\n");
export const badUrl = plain("Bad Request\n");
export const plainReplies: ErrorReplies = { notFound: () => notFound, badUrl: () => badUrl };

/** Whether a person is looking: programs accept anything, or do not say what they accept. */
export const wantsPage = ({ method, headers }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
