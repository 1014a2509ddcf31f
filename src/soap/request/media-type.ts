/**
 * Parses Content-Type as far as SOAP needs it: type, charset and action (RFC 9110 §8.3; RFC 3902 for action).
 */
import { Fault } from "#contract/faults.ts";
import { memoize } from "../memoize.ts";

export interface MediaType {
  readonly type: string;
  readonly charset: string | null;
  readonly action: string | null;
}

const PARAMETER = /;\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g;

/** RFC 9110 allows only double quotes, in pairs. Some clients send single quotes, or only one of a pair. */
function unquoted(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && isQuote(value[start])) start += 1;
  while (start < end && isQuote(value[end - 1])) end -= 1;
  return value.slice(start, end);
}
const isQuote = (character: string | undefined): boolean => character === '"' || character === "'";

function parse(header: string): MediaType {
  const semicolon = header.indexOf(";");
  const type = (semicolon === -1 ? header : header.slice(0, semicolon)).trim().toLowerCase();
  let charset: string | null = null;
  let action: string | null = null;
  if (semicolon !== -1)
    for (const [, name = "", quoted, plain] of header.slice(semicolon).matchAll(PARAMETER)) {
      const value = quoted === undefined ? (plain ?? "") : quoted.replace(/\\(.)/g, "$1");
      if (name.toLowerCase() === "charset") charset ??= unquoted(value) || null;
      else if (name.toLowerCase() === "action") action ??= value;
    }
  return { type, charset, action };
}

export const parseMediaType = memoize(parse);

const soapTypes: ReadonlySet<string> = new Set(["text/xml", "application/xml", "application/soap+xml"]);

export const isSoapType = ({ type }: MediaType): boolean => soapTypes.has(type);

/** Throws UnsupportedMediaType. */
export function requireSoapType(mediaType: MediaType, contentType: string | undefined): void {
  if (isSoapType(mediaType)) return;
  const given =
    contentType === undefined || contentType === ""
      ? "none was given"
      : `"${contentType.slice(0, 200)}" was given`;
  throw new Fault(
    "UnsupportedMediaType",
    `The Content-Type must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2); ${given}.`,
  );
}
