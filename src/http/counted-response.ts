/**
 * A response that reports the start and end of its request, and how many of its bytes the client has not read
 * yet. Node creates one for each request, so every response is counted here, whichever code sends it.
 */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Connection, Connections } from "./connections.ts";
import { MAX_REQUESTS, PAUSED_REQUESTS, type Unsent } from "./unsent.ts";

/**
 * Memory that Node takes for a request and its response, without the text of the headers: measured, rounded
 * up.
 */
const REQUEST_BYTES = 6 * 1024;

export interface CountedResponseOptions {
  readonly connections: Connections;
  readonly unsent: Unsent;
  readonly connectionOf: (socket: Socket) => Connection | undefined;
}

/** As in Node's overloads: with or without an encoding, with or without a callback. */
type Given = readonly [chunk?: unknown, encoding?: unknown, done?: unknown];

export function countedResponse({
  connections,
  unsent,
  connectionOf,
}: CountedResponseOptions): typeof ServerResponse {
  return class CountedResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    readonly from: Connection | undefined;
    /** Bytes that are counted for this response. */
    held = 0;

    constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...given);
      const [{ socket }] = given;
      // Requests behind one for which the connection was closed are still parsed, but not served.
      const from = socket.destroyed ? undefined : connectionOf(socket);
      this.from = from;
      if (from === undefined) return;
      connections.begin(from);
      if (from.requests === 1) return;
      this.measure();
      if (from.requests > MAX_REQUESTS) unsent.close(from);
      else if (from.requests >= PAUSED_REQUESTS) socket.pause();
    }

    override write(...given: Given): boolean {
      // First subtract what the client has read since the last write, so that it does not count as stalled.
      this.measure();
      const goOn = super.write(...(given as Parameters<ServerResponse["write"]>));
      this.measure();
      return goOn;
    }

    override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
      super.end(chunk as string, encoding as BufferEncoding, done as () => void);
      // Usually the kernel has accepted all of it by now.
      if (this.held > 0 || this.writableLength > 0) this.measure();
      return this;
    }

    measure(): void {
      const { from, req, held, writableLength } = this;
      if (from === undefined) return;
      const isWaiting = this.socket === null && !this.writableFinished;
      const now = isWaiting || writableLength > 0 ? writableLength + bytesOf(req) : 0;
      this.held = now;
      if (now > held) unsent.hold(from, now - held);
      else if (now < held) unsent.release(from, held - now);
    }

    /** Called by Node when the kernel has accepted the last byte of the response. */
    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      const { from, held } = this;
      if (from === undefined) return;
      connections.end(from);
      this.held = 0;
      if (held > 0) unsent.release(from, held);
      if (from.requests === PAUSED_REQUESTS - 1) socket.resume();
    }
  };
}

/** Headers may take up to 16 KiB. */
function bytesOf({ rawHeaders, url = "" }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
