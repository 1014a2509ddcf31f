import type { QuirkKind } from "#domain/statistics.ts";

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
      "Make the program declare the charset that it uses: Content-Type: text/xml; charset=utf-8, and texts in UTF-8.",
  },
  "http-1.0": {
    short: "HTTP/1.0",
    title: "It uses HTTP/1.0",
    meaning: "Each call needs a connection of its own, which makes it slower.",
    advice:
      "Update the HTTP library of the program, or set it to HTTP/1.1. A proxy in between can also be the cause: in nginx, set proxy_http_version 1.1.",
  },
  "wsdl-every-call": {
    short: "No WSDL cache",
    title: "It downloads the WSDL for every call",
    meaning: "The WSDL is larger than any call, so most of the time of a call is spent on it.",
    advice:
      "Turn on the WSDL cache of the program: in PHP, soap.wsdl_cache_enabled = 1 and no WSDL_CACHE_NONE. In other languages, create the client once and reuse it.",
  },
};
export const quirksTitle = "What to improve";
export const shownBy = "Last seen from";
