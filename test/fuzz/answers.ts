/** Reads responses, and checks that each is a SOAP message of the right version, a page, or an HTTP error. */
import { SaxesParser } from "saxes";
import { soap11, soap12 } from "#soap/version.ts";
import type { Case } from "./cases.ts";

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/**
 * Every final response in the bytes of a connection, without interim ones (100 Continue). Throws if they are
 * not HTTP.
 */
export function answersIn(bytes: Buffer, isHead = false): Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end === -1)
      throw new Error(`a head without an end: ${bytes.subarray(at, at + 200).toString("latin1")}`);
    const [start = "", ...lines] = bytes.subarray(at, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(start)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no status: ${start.slice(0, 200)}`);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        if (colon < 1) throw new Error(`no header: ${line.slice(0, 200)}`);
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    at = end + 4;
    if (status < 200) continue;
    const hasBody = !isHead && status !== 304 && status !== 204;
    const { body, next } = hasBody ? bodyAt(bytes, at, headers) : { body: Buffer.alloc(0), next: at };
    at = next;
    answers.push({ status, contentType: headers.get("content-type") ?? "", body });
  }
  return answers;
}

function bodyAt(
  bytes: Buffer,
  at: number,
  headers: ReadonlyMap<string, string>,
): { body: Buffer; next: number } {
  const length = headers.get("content-length");
  if (headers.get("transfer-encoding") === "chunked") {
    const chunks: Buffer[] = [];
    for (let from = at; ; ) {
      const end = bytes.indexOf("\r\n", from);
      const size = Number.parseInt(bytes.subarray(from, end).toString("latin1"), 16);
      if (end === -1 || Number.isNaN(size)) throw new Error("a chunk without a size");
      const start = end + 2;
      if (size === 0) return { body: Buffer.concat(chunks), next: start + 2 };
      chunks.push(bytes.subarray(start, start + size));
      from = start + size + 2;
    }
  }
  const end = length === undefined ? bytes.length : at + Number(length);
  if (end > bytes.length) throw new Error(`${bytes.length - at} of ${length} bytes of a body`);
  return { body: bytes.subarray(at, end), next: end };
}

/** What is wrong with a response; null if it is valid. */
export function complaint(
  answer: Answer,
  { version, method }: Pick<Case, "version" | "method">,
): string | null {
  const { status, contentType, body } = answer;
  const isSoap = contentType === soap11.contentType || contentType === soap12.contentType;
  if (method === "POST" && isSoap) return soapComplaint(body, contentType, status, version);
  if (version !== null) return `a sound message got ${status} ${contentType}`;
  if (status >= 400 && status < 500) return null;
  if (status === 501 || status === 505) return null;
  // The fuzzer has few keys, and clients with many authentication failures are rate-limited.
  if (status === 503 && (method === "HEAD" || /"code":"Throttled"/.test(body.toString("latin1"))))
    return null;
  return method !== "POST" && status < 400 ? null : `${status} ${contentType}`;
}

function soapComplaint(
  body: Buffer,
  contentType: string,
  status: number,
  wanted: string | null,
): string | null {
  const { namespace, name } = contentType === soap11.contentType ? soap11 : soap12;
  const path: string[] = [];
  let inBody = 0;
  let code = "";
  const parser = new SaxesParser({ xmlns: true });
  let root = "";
  parser.on("opentag", (tag) => {
    if (path.length === 0) root = `{${tag.uri}}${tag.local}`;
    if (path.length === 2 && path[1] === "Body") inBody += 1;
    path.push(tag.local);
  });
  parser.on("text", (text) => {
    if (path.at(-1) === "code") code = text;
  });
  parser.on("closetag", () => path.pop());
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    parser.write(text).close();
  } catch (error) {
    return `not well-formed: ${(error as Error).message}`;
  }
  if (root !== `{${namespace}}Envelope`) return `${root} as ${contentType}`;
  if (inBody !== 1) return `${inBody} elements in the Body`;
  if (wanted !== null && wanted !== name) return `SOAP ${name} where ${wanted} was asked for`;
  if (code === "InternalError") return "InternalError";
  if ((code === "") !== (status === 200)) return `${status} with the code "${code}"`;
  return null;
}
