/**
 * The response that a case expects, as it comes over the wire. A result and a fault imply status, headers and
 * envelope; anything else is written as HTTP. `response-lines.ts` is the way back.
 */
import { type FaultWords, faultElement, faultHeader, faultText } from "./faults.ts";
import { type Header, splitHeaders, withHeaders } from "./headers.ts";
import { expand } from "./macros.ts";
import { atLine, type Block } from "./parse.ts";
import type { About } from "./request.ts";
import { contentTypeOf, escapeText, responseEnvelope, type Version } from "./soap.ts";

/** The value of a header that follows from the body. As the first line of a body: fragments of it follow. */
export const ANY = "...";

const reasons: Readonly<Record<string, string>> = {
  200: "OK",
  400: "Bad Request",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
/** Results that are no text, and how their element goes on after its name. */
export const results: Readonly<Record<string, string>> = { "(empty)": " />", "(nil)": ' xsi:nil="true" />' };

/** The status line, the headers that matter in order of their names, an empty line, and the body. */
export function toText(
  blocks: readonly Block[],
  about: About,
  values: Readonly<Record<string, string>>,
): string {
  return blocks.map((block) => atLine(block.line, () => blockText(block, about, values))).join("");
}

function blockText(block: Block, about: About, values: Readonly<Record<string, string>>): string {
  const first = expand(block.first, values);
  const lines = block.rest.map((line) => expand(line, values));
  if (!first.startsWith("HTTP/")) return soapText(first, lines, about);
  const { headers, rest } = splitHeaders(lines);
  const body = rest.slice(1).join("\n");
  return [first, ...headers.map(([name, value]) => `${name}: ${value}`), "", body].join("\n");
}

/** Lines that are no headers of HTTP: what the response is about, where the request does not imply it. */
export const aboutNames = { operation: "operation", namespace: "xmlns", version: "soap" } as const;

function soapText(first: string, lines: readonly string[], implied: About): string {
  const { headers: all, rest } = splitHeaders(lines);
  const given = new Map(all);
  const headers = all.filter(([name]) => !Object.values<string>(aboutNames).includes(name));
  const about: About = {
    operation: given.get(aboutNames.operation) ?? implied.operation,
    namespace: given.get(aboutNames.namespace) ?? implied.namespace,
    version: (given.get(aboutNames.version) ?? implied.version) as Version,
  };
  const fault = parseFault(first);
  const body =
    fault === null
      ? resultEnvelope(first + rest.map((line) => line.trimStart()).join(""), about)
      : faultEnvelope(fault.words, about);
  return response(fault?.status ?? "200", about.version, headers, body);
}

/** Of every SOAP response, in order of their names. */
export const impliedHeaders = (version: Version): readonly Header[] => [
  ["cache-control", "private, max-age=0"],
  ["content-length", ANY],
  ["content-type", contentTypeOf(version)],
];

function response(status: string, version: Version, headers: readonly Header[], body: string): string {
  const lines = withHeaders(impliedHeaders(version), headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${reasons[status] ?? ""}`, ...lines.toSorted(), "", body].join("\n");
}

function resultEnvelope(result: string, { version, operation, namespace }: About): string {
  const element = `${operation}Result`;
  const content = results[result] ?? `>${result}</${element}>`;
  return responseEnvelope(
    version,
    "",
    `<${operation}Response xmlns="${escapeText(namespace)}"><${element}${content}</${operation}Response>`,
  );
}

const faultEnvelope = (words: FaultWords, { version, namespace }: About): string =>
  responseEnvelope(
    version,
    faultHeader(version, words),
    faultElement(version, words.code, faultText(words), namespace),
  );

/** `500 InvalidParameter int | SubscribersListID | 6 | one` */
function parseFault(first: string): { status: string; words: FaultWords } | null {
  const [, status, code, name = "", holes] =
    /^(\d{3}) ([A-Z]\w+)(?: ([^|]*?))?(?: \| ?(.*))?$/s.exec(first) ?? [];
  if (status === undefined || code === undefined) return null;
  return { status, words: { code, name, holes: holes?.split(" | ") ?? [] } };
}
