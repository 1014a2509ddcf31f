import type { QuirkKind } from "../../../domain/statistics.ts";

export interface QuirkTexts {
  /** In a table. */
  readonly short: string;
  readonly title: string;
  readonly meaning: string;
  readonly advice: string;
}
/** What clients do that deserves attention, and what to do about it. */
export const quirkTexts: Readonly<Record<QuirkKind, QuirkTexts>> = {
  "charset-mismatch": {
    short: "Wrong charset",
    title: "It sends text in another charset than it declares",
    meaning:
      "Mailroll guessed the charset and decoded the text as well as it could, but letters with accents may be wrong.",
    advice:
      "Let the program declare the charset in which it writes: Content-Type: text/xml; charset=utf-8, and texts in UTF-8.",
  },
  "http-1.0": {
    short: "HTTP/1.0",
    title: "It speaks HTTP/1.0",
    meaning: "Each call needs a connection of its own, which makes it slower.",
    advice:
      "Update the HTTP library of the program, or set it to HTTP/1.1. If a proxy is between, it may be the proxy: in nginx, set proxy_http_version 1.1.",
  },
  "wsdl-every-call": {
    short: "No WSDL cache",
    title: "It reads the WSDL again for its calls",
    meaning: "The WSDL is larger than any call, so most of the time of a call is spent on it.",
    advice:
      "Turn on the WSDL cache of the program: in PHP, soap.wsdl_cache_enabled = 1 and no WSDL_CACHE_NONE. In other languages, make the client once and keep it.",
  },
};
export const quirksTitle = "What to improve";
export const shownBy = "Last seen from";
