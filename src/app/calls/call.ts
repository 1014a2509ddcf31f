/**
 * A request and its caller, for the endpoint, the handlers and the log. Created for every request, so nothing
 * is computed before it is needed.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EndpointCall } from "#asmx/endpoint.ts";
import type { CallNotes } from "#auth/authenticator.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import { traceIdOf } from "#http/trace.ts";

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
