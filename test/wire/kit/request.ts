/**
 * The bytes of a request. A call names an operation, and its lines are parameters: method, path, headers,
 * envelope and the key are implied. Anything else is written as HTTP, of which only Host, Connection,
 * Content-Length and the Content-Type of a POST are implied.
 */
import { ABSENT, type Header, splitHeaders, withHeaders } from "./headers.ts";
import { expand } from "./macros.ts";
import { atLine, type Block } from "./parse.ts";
import { encode, type Options, parseOptions } from "./request-options.ts";
import { contentTypeOf, ENVELOPE_1_2, requestEnvelope, type Version } from "./soap.ts";

export interface Request {
  readonly head: Buffer;
  readonly body: Buffer;
  readonly isHead: boolean;
  /** The caller waits for "100 Continue" before it sends the body. */
  readonly waits: boolean;
  /** The caller asks, or its version of HTTP means, that the connection ends after the response. */
  readonly ends: boolean;
  /** The case, not this module, sets the header Connection: then it is checked in the response too. */
  readonly namesConnection: boolean;
  /** How often it is sent, one after the other. */
  readonly times: number;
  /** What a response is about, unless the case says otherwise. */
  readonly about: About;
}

export interface About {
  readonly version: Version;
  readonly operation: string;
  readonly namespace: string;
}

export function toRequest(block: Block, version: Version, values: Readonly<Record<string, string>>): Request {
  return atLine(block.line, () => {
    const [start = "", ...texts] = expand(block.first, values).split(", ");
    const lines = block.rest.map((line) => expand(line, values));
    const options = parseOptions(texts, version);
    return /^[A-Z]+ /.test(start) ? http(start, lines, options) : call(start, lines, options);
  });
}

function call(operation: string, lines: readonly string[], options: Options): Request {
  if (!/^[\w.]+$/.test(operation))
    throw new Error(
      `a request is an operation with options after commas, or METHOD /path; this is: ${operation}`,
    );
  const { version, namespace, key } = options;
  const { headers, rest } = splitHeaders(lines);
  const contentType: Header = ["Content-Type", contentTypeOf(version)];
  const action: Header = ["SOAPAction", `"${namespace}/${operation}"`];
  const headerEnd =
    rest.findIndex((line) => /^<\/soap(?:12)?:Header>|^<soap(?:12)?:Header\/>/.test(line)) + 1;
  const xml = requestEnvelope(options, rest.slice(0, headerEnd), [
    `<${operation} xmlns="${namespace}">`,
    ...(key === null ? [] : [`  <APIKey>${key}</APIKey>`]),
    ...withCustomFields(rest.slice(headerEnd)).map((line) => `  ${line}`),
    `</${operation}>`,
  ]);
  return assemble(
    `POST ${options.path} ${options.protocol}`,
    withHeaders(version === "1.1" ? [contentType, action] : [contentType], headers),
    encode(xml, options),
    { times: options.times, about: { version, operation, namespace } },
  );
}

/** Lines such as `customField 3 = London` one below the other, as one parameter CustomsFields. */
function withCustomFields(lines: readonly string[]): readonly string[] {
  const short = /^customField (\S*) = ?(.*)$/s;
  return lines.flatMap((line, index) => {
    const [, id, value] = short.exec(line) ?? [];
    if (id === undefined) return [line];
    const isFirst = index === 0 || !short.test(lines[index - 1] ?? "");
    const isLast = !short.test(lines[index + 1] ?? "");
    return [
      ...(isFirst ? ["<CustomsFields>"] : []),
      "  <customField>",
      `    <Customfieldid>${id}</Customfieldid>`,
      `    <Value>${value}</Value>`,
      "  </customField>",
      ...(isLast ? ["</CustomsFields>"] : []),
    ];
  });
}

function http(start: string, lines: readonly string[], options: Options): Request {
  const { headers, rest } = splitHeaders(lines);
  if (rest.length > 0 && rest[0] !== "") throw new Error("an empty line must separate headers from the body");
  const text = rest.slice(1).join("\n");
  const version = text.includes(ENVELOPE_1_2) ? "1.2" : options.version;
  const { namespace, times } = options;
  const [, operation = ""] = /Body(?:\s[^>]*)?>(?:\s|<!--.*?-->)*<(?:[\w-]+:)?([\w.]+)/s.exec(text) ?? [];
  return assemble(
    `${start} ${options.protocol}`,
    start.startsWith("POST ") ? withContentType(headers, options.version) : headers,
    encode(text, options),
    { times, about: { version, operation, namespace } },
  );
}

/** In the order of the case, where it has one of its own. */
const withContentType = (headers: readonly Header[], version: Version): readonly Header[] =>
  headers.some(([name, value]) => name.toLowerCase() === "content-type" && value !== ABSENT)
    ? headers
    : withHeaders([["Content-Type", contentTypeOf(version)]], headers);

function assemble(
  start: string,
  headers: readonly Header[],
  body: Buffer,
  { times, about }: Pick<Request, "times" | "about">,
): Request {
  const given = new Map(headers.map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]));
  const namesConnection = start.endsWith("HTTP/1.0") || given.has("connection");
  const all: readonly Header[] = [
    ...headers,
    ...(given.has("host") ? [] : [["Host", "mailroll.test"] as const]),
    ...(namesConnection ? [] : [["Connection", "close"] as const]),
    ...(given.has("content-length") || given.has("transfer-encoding")
      ? []
      : [["Content-Length", String(body.length)] as const]),
  ];
  const head = [start, ...all.map(([name, value]) => `${name}: ${value}`.trimEnd()), "", ""].join("\r\n");
  return {
    head: Buffer.from(head, "utf8"),
    body,
    isHead: start.startsWith("HEAD "),
    waits: given.get("expect") === "100-continue",
    ends: given.get("connection") === "close" || !given.has("connection"),
    namesConnection,
    times,
    about,
  };
}
