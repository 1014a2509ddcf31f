/**
 * A request and its caller, for the endpoint, the handlers and the log. Created for every request, so nothing
 * is computed before it is needed.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EndpointCall } from "#asmx/endpoint.ts";
import type { CallNotes } from "#auth/authenticator.ts";
import type { ClientAddresses } from "#http/client-address.ts";

// The trace id of a request (W3C Trace Context §3.2). Nothing else of the header is used.

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** undefined if the header is missing or invalid, which is not an error. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  const [, version, id, more] = TRACEPARENT.exec(header) ?? [];
  // Later versions may append parts; version 00 may not.
  return version === "00" && more !== undefined ? undefined : id;
}

export class Call implements EndpointCall, CallNotes {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #clients: ClientAddresses;
  account: CallNotes["account"] = null;
  key: CallNotes["key"] = null;

  constructor(request: IncomingMessage, response: ServerResponse, clients: ClientAddresses) {
    this.request = request;
    this.response = response;
    this.#clients = clients;
  }

  get client(): string {
    return this.#clients.of(this.request);
  }
  get isGone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }
  get trace(): string | undefined {
    return traceIdOf(this.request.headers.traceparent);
  }
}
