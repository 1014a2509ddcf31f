/**
 * Serves everything but POST on an endpoint's path: the documents that describe the service, by GET and HEAD.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "#contract/faults.ts";
import type { Service } from "#contract/service.ts";
import { type BodyReader, closeAfterResponse } from "#http/body/body.ts";
import { representationFor } from "#http/cached-documents.ts";
import { sendWhole } from "#http/send.ts";
import type { OnDefect } from "#soap/dispatch.ts";
import type { Addresses } from "./addresses.ts";
import { Documents } from "./documents.ts";

/** A document was requested, or an unsupported method. */
export interface Described {
  readonly status: number;
  readonly ms: number;
}
/** A request and its response. */
export interface DescribedCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
export interface DescriptionObserver<Call> {
  /** The WSDL was requested; it was sent, or is unchanged. */
  wsdlRead(call: Call): void;
  described(described: Described): void;
}
export interface DescriptionOptions<Call> {
  readonly service: Service;
  /** The paths of the service. A document that is read at one of them points to that path. */
  readonly paths: readonly string[];
  readonly addresses: Addresses;
  readonly bodies: BodyReader;
  readonly observer: DescriptionObserver<Call>;
  readonly onDefect: OnDefect;
}

/** One of the paths, and the query. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

const ALLOW = "GET, HEAD, POST";
const TEXT = { "Content-Type": "text/plain; charset=utf-8" } as const;

export class Description<Call extends DescribedCall> {
  readonly #options: DescriptionOptions<Call>;
  readonly #documents: ReadonlyMap<string, Documents>;

  constructor(options: DescriptionOptions<Call>) {
    this.#options = options;
    this.#documents = new Map(
      options.paths.map((path) => [path, new Documents({ ...options.service, path })]),
    );
  }

  /** An error in a document must not crash the process. */
  async answer(call: Call, target: Target): Promise<void> {
    const started = performance.now();
    const { bodies, observer, onDefect } = this.#options;
    const { request, response } = call;
    const isRead = request.method === "GET" || request.method === "HEAD";
    try {
      if (!isRead) {
        await bodies.discard(request);
        closeAfterResponse(response, request);
      }
      bodies.admission.enter();
      try {
        if (isRead) this.#get(call, target);
        else refuseMethod(response);
      } finally {
        bodies.admission.leave();
      }
    } catch (error) {
      if (error instanceof Fault) refuse(response, error);
      else {
        const reference = onDefect(error, null);
        if (!response.headersSent)
          sendWhole(
            response,
            500,
            { ...TEXT },
            `Something went wrong on our side. Reference: ${reference}\n`,
          );
      }
    }
    observer.described({ status: response.statusCode, ms: performance.now() - started });
  }

  #documentsAt(path: string): Documents {
    const documents = this.#documents.get(path);
    if (documents === undefined) throw new Error(`nothing is served at ${path}`);
    return documents;
  }

  #get(call: Call, { path, query }: Target): void {
    const { request, response } = call;
    const documents = this.#documentsAt(path);
    if (request.method === "GET" && documents.isWsdl(query)) this.#options.observer.wsdlRead(call);
    const document = documents.find(this.#options.addresses.of(request).expected, query);
    const { status, headers, body } = representationFor(request, document);
    response.writeHead(status, headers);
    if (request.method === "HEAD" || status === 304) response.end();
    else response.end(body);
  }
}

function refuse(response: ServerResponse, { kind, message, retryAfterSeconds }: Fault): void {
  const retry = retryAfterSeconds === null ? {} : { "Retry-After": retryAfterSeconds };
  sendWhole(response, kind.status, { ...TEXT, ...retry }, `${message}\n`);
}

function refuseMethod(response: ServerResponse): void {
  const text = `Use POST for SOAP, GET for the description. Allowed: ${ALLOW}\n`;
  sendWhole(response, 405, { Allow: ALLOW, ...TEXT }, text);
}
