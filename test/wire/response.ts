/**
 * The text of a response: what a case says, written out as it comes over the wire, and back. A result and a
 * fault imply status, headers and envelope; anything else is written as HTTP.
 */
import { type FaultWords, faultElement, faultHeader, faultText, findFaultWords } from "./fault-texts.ts";
import { splitHeaders, withHeaders } from "./headers.ts";
import { expand, showHidden } from "./macros.ts";
import { atLine, type Block } from "./parse.ts";
import type { About } from "./request.ts";
import { contentTypeOf, escapeText, responseEnvelope, unescapeText, type Version } from "./soap.ts";

/** In headers: any value. As the first line of a body: it holds these fragments, in this order. */
export const ANY = "...";

const reasons: Readonly<Record<string, string>> = {
  200: "OK",
  400: "Bad Request",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
const results: Readonly<Record<string, string>> = { "(empty)": " />", "(nil)": ' xsi:nil="true" />' };

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
const aboutNames = { operation: "operation", namespace: "xmlns", version: "soap" } as const;

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

function response(
  status: string,
  version: Version,
  headers: readonly (readonly [string, string])[],
  body: string,
) {
  const implied = [
    ["cache-control", "private, max-age=0"],
    ["content-length", ANY],
    ["content-type", contentTypeOf(version)],
  ] as const;
  const lines = withHeaders(implied, headers).map(([name, value]) => `${name}: ${value}`);
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

/** The lines of a case for a response, as short as possible: written out, they are equal to `text`. */
export function toLines(text: string, about: About): readonly string[] {
  const [, interim = "", final = text] = /^(HTTP\/1\.1 100 Continue)\n\n(.*)$/s.exec(text) ?? [];
  const lines = soapLines(final, about) ?? httpLines(final);
  return interim === "" ? lines : [`< ${interim}`, ...lines];
}

function httpLines(text: string): readonly string[] {
  const [head = "", body = ""] = text.split(/\n\n(.*)/s);
  const [first = "", ...headers] = head.split("\n");
  // Empty lines at the end of a case are not part of it.
  const shown = body
    .replace(/\n+$/, (ends) => showHidden(ends))
    .split("\n")
    .map((line) => showHidden(line));
  const lines = body === "" ? headers : [...headers, "", ...shown];
  return [`< ${first}`, ...lines.map((line) => (line === "" ? "" : `  ${line}`))];
}

function soapLines(text: string, implied: About): readonly string[] | null {
  const [head = "", body = ""] = text.split(/\n\n(.*)/s);
  const [start = "", ...headers] = head.split("\n");
  const version: Version = body.includes("<soap12:Body>") ? "1.2" : "1.1";
  const short = shorten(start.split(" ")[1] ?? "", body);
  if (short === null) return null;
  const about: About = {
    ...implied,
    version,
    namespace: short.namespace,
    operation: short.operation ?? implied.operation,
  };
  const lines = [
    ...headerLines(headers, version),
    ...(["operation", "namespace", "version"] as const)
      .filter((key) => about[key] !== implied[key])
      .map((key) => `${aboutNames[key]}: ${about[key]}`),
  ];
  const [first = "", ...rest] = breakRecords(short.first);
  const block = { line: 0, first, rest: [...lines, ...rest] };
  if (blockText(block, implied, {}) !== text) return null;
  return [`< ${showHidden(first)}`, ...block.rest.map((line) => `  ${showHidden(line)}`)].map((line) =>
    line.trimEnd(),
  );
}

interface Short {
  readonly first: string;
  readonly namespace: string;
  readonly operation?: string;
}

function shorten(status: string, body: string): Short | null {
  const fault =
    /<(?:faultstring|soap12:Text xml:lang="en")>(.*?)<\/.*<error xmlns="(.*?)"><code>(\w+)<\/code>/s.exec(
      body,
    );
  if (fault !== null) {
    const [, words = "", namespace = "", code = ""] = fault;
    const found = findFaultWords(code, unescapeText(words));
    // A text that is new: its name is to be chosen in fault-texts.ts.
    const { name, holes } = found ?? { name: "(new text)", holes: [unescapeText(words)] };
    const first = [`${status} ${code} ${name}`.trim(), ...holes].join(" | ");
    return { first, namespace: unescapeText(namespace) };
  }
  const result =
    /Body><([\w.]+)Response xmlns="(.*?)"><[\w.]+Result(?:>(.*)<\/[\w.]+Result>|(.*? \/>))<\//s.exec(body);
  if (result === null || status !== "200") return null;
  const [, operation = "", namespace = "", content, closed] = result;
  const first = content ?? Object.entries(results).find(([, text]) => text === closed)?.[0];
  return first === undefined ? null : { first, namespace: unescapeText(namespace), operation };
}

/** Those that differ from the implied ones. */
function headerLines(headers: readonly string[], version: Version): readonly string[] {
  const [, ...implied] = response("200", version, [], "").split("\n").slice(0, -2);
  const names = new Set(headers.map((line) => line.split(":")[0]));
  return [
    ...implied
      .map((line) => line.split(":")[0] ?? "")
      .filter((name) => !names.has(name))
      .map((name) => `${name}: (none)`),
    ...headers.filter((line) => !implied.includes(line)),
  ];
}

/** A result of records: a line for each. */
function breakRecords(result: string): readonly string[] {
  const [, record] = /^<(\w+)>/.exec(result) ?? [];
  return record === undefined ? [result] : ["", ...result.split(new RegExp(`(?=<${record}>)`))];
}
