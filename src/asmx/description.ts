/**
 * Serves everything but POST on an endpoint's path: the documents that describe the service, by GET and HEAD.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Service } from "../contract/service.ts";
import { closeAfterResponse, discardBody } from "../http/body.ts";
import type { Load } from "../http/load.ts";
import { sendWhole } from "../http/send.ts";
import type { OnDefect } from "../soap/dispatch.ts";
import type { Addresses } from "./addresses.ts";
import { Documents } from "./documents.ts";
import { isCurrent, takesGzip } from "./request-target.ts";
import { tooBusy } from "./too-busy.ts";

/** A document was requested, or an unsupported method. */
export interface Described {
  readonly status: number;
  readonly ms: number;
}
export interface DescriptionOptions {
  readonly service: Service;
  /** The paths of the service. A document that is read at one of them points to that path. */
  readonly paths: readonly string[];
  readonly addresses: Addresses;
  readonly bodyLimit: number;
  readonly load: Load;
  readonly onDescribed: (described: Described) => void;
  /** The WSDL was requested; it was sent, or is unchanged. */
  readonly onWsdlRead: (request: IncomingMessage) => void;
  readonly onDefect: OnDefect;
}

/** One of the paths, and the query. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

const ALLOW = "GET, HEAD, POST";

export class Description {
  readonly #options: DescriptionOptions;
  readonly #documents: ReadonlyMap<string, Documents>;

  constructor(options: DescriptionOptions) {
    this.#options = options;
    this.#documents = new Map(
      options.paths.map((path) => [path, new Documents({ ...options.service, path })]),
    );
  }

  /** An error in a document must not crash the process. */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query }: Target,
    isTooMuch: boolean,
  ): Promise<void> {
    const started = performance.now();
    const { load, onDescribed, onDefect } = this.#options;
    try {
      if (request.method === "GET" || request.method === "HEAD") {
        if (isTooMuch || !load.hasRoomForCall) this.#refuse(response);
        else this.#get(request, response, this.#documentsAt(path), query);
      } else await this.#refuseMethod(request, response);
    } catch (error) {
      const text = `Something went wrong on our side. Reference: ${onDefect(error, null)}\n`;
      if (!response.headersSent)
        sendWhole(response, 500, { "Content-Type": "text/plain; charset=utf-8" }, text);
    }
    onDescribed({ status: response.statusCode, ms: performance.now() - started });
  }

  #documentsAt(path: string): Documents {
    const documents = this.#documents.get(path);
    if (documents === undefined) throw new Error(`nothing is served at ${path}`);
    return documents;
  }

  #get(request: IncomingMessage, response: ServerResponse, documents: Documents, query: string): void {
    if (request.method === "GET" && documents.isWsdl(query)) this.#options.onWsdlRead(request);
    const document = documents.find(this.#options.addresses.of(request).expected, query);
    const form = takesGzip(request.headers["accept-encoding"]) ? document.gzip : document.plain;
    const { status, headers, body, etag } = form;
    if (status === 200 && isCurrent(request.headers["if-none-match"], etag)) {
      const { "Content-Encoding": _coding, "Content-Length": _length, ...rest } = headers;
      response.writeHead(304, rest).end();
      return;
    }
    response.writeHead(status, headers);
    if (request.method === "HEAD") response.end();
    else response.end(body);
  }

  #refuse(response: ServerResponse): void {
    this.#options.load.refused.calls += 1;
    const headers = {
      "Content-Type": "text/plain; charset=utf-8",
      "Retry-After": tooBusy.retryAfterSeconds ?? 5,
    };
    sendWhole(response, tooBusy.kind.status, headers, `${tooBusy.message}\n`);
  }

  async #refuseMethod(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await discardBody(request, this.#options.bodyLimit);
    closeAfterResponse(response, request);
    const headers = { Allow: ALLOW, "Content-Type": "text/plain; charset=utf-8" };
    sendWhole(response, 405, headers, `Use POST for SOAP, GET for the description. Allowed: ${ALLOW}\n`);
  }
}
