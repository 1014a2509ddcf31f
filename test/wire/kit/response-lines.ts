/** The lines of a case that expects a response: what UPDATE_WIRE=1 writes. */
import { findFaultWords } from "./faults.ts";
import { showHidden } from "./macros.ts";
import type { About } from "./request.ts";
import { aboutNames, impliedHeaders, results, toText } from "./response.ts";
import { unescapeText, type Version } from "./soap.ts";

/** As short as possible; written out, they are equal to `text`. */
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

/** null for what is not SOAP, or not the SOAP that a short form implies. */
function soapLines(text: string, implied: About): readonly string[] | null {
  const [head = "", body = ""] = text.split(/\n\n(.*)/s);
  const [start = "", ...headers] = head.split("\n");
  const version: Version = body.includes("<soap12:Body>") ? "1.2" : "1.1";
  const status = start.split(" ")[1] ?? "";
  const short = shortFault(status, body) ?? (status === "200" ? shortResult(body) : null);
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
  if (short.isNew !== true && toText([block], implied, {}) !== text) return null;
  return [`< ${showHidden(first)}`, ...block.rest.map((line) => `  ${showHidden(line)}`)].map((line) =>
    line.trimEnd(),
  );
}

interface Short {
  readonly first: string;
  readonly namespace: string;
  readonly operation?: string;
  /** fault-texts.ts has no such text yet. */
  readonly isNew?: boolean;
}

const FAULT =
  /<(?:faultstring|soap12:Text xml:lang="en")>(.*?)<\/.*<error xmlns="(.*?)"><code>(\w+)<\/code>/s;
const RESULT = /Body><([\w.]+)Response xmlns="(.*?)"><[\w.]+Result(?:>(.*)<\/[\w.]+Result>|(.*? \/>))<\//s;

function shortFault(status: string, body: string): Short | null {
  const [, xml, namespace = "", code = ""] = FAULT.exec(body) ?? [];
  if (xml === undefined) return null;
  const text = unescapeText(xml);
  const words = findFaultWords(code, text);
  const { name, holes } = words ?? { name: "(new text)", holes: [text] };
  const first = [`${status} ${code} ${name}`.trim(), ...holes].join(" | ");
  return { first, namespace: unescapeText(namespace), isNew: words === null };
}

function shortResult(body: string): Short | null {
  const [, operation, namespace = "", content, closed] = RESULT.exec(body) ?? [];
  const first = content ?? Object.entries(results).find(([, text]) => text === closed)?.[0];
  if (operation === undefined || first === undefined) return null;
  return { first, namespace: unescapeText(namespace), operation };
}

/** Those that differ from the implied ones. */
function headerLines(headers: readonly string[], version: Version): readonly string[] {
  const implied = impliedHeaders(version).map(([name, value]) => `${name}: ${value}`);
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
