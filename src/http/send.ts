/** Sends a response: in one write if it is complete, with back-pressure if it comes in chunks. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ListSlot } from "#admission/list-slots.ts";
import { whenClosed } from "./when-closed.ts";

/** Modifies `headers`. */
export function sendWhole(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array,
): void {
  headers["Content-Length"] = Buffer.byteLength(body);
  headers["X-Content-Type-Options"] = "nosniff";
  response.writeHead(status, headers);
  response.end(body);
}

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Requests the next chunk when the kernel has accepted the one before, so a slow client slows the source
 * down, and one that disconnects stops it. The list's slot records since when a chunk has waited for the
 * client. Yields to the event loop after each chunk: a fast client would otherwise starve every other
 * connection.
 */
export async function sendChunks(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  chunks: AsyncIterable<string | Uint8Array>,
  slot: ListSlot | null = null,
): Promise<void> {
  headers["X-Content-Type-Options"] = "nosniff";
  response.writeHead(status, headers);
  let goOn = (): void => {};
  // Not response.socket: that is null while the response waits behind another, and then no close event
  // arrives.
  const { socket } = response.req;
  const end = (): void => void socket.destroy();
  const stopWaiting = whenClosed(socket, () => goOn());
  const sent = (chunk: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      goOn = resolve;
      response.write(chunk, () => resolve());
    });
  try {
    for await (const chunk of chunks) {
      if (socket.destroyed) return;
      slot?.sending(end);
      await sent(chunk);
      slot?.sent();
      await yieldToEventLoop();
    }
    response.end();
  } catch (error) {
    if (socket.destroyed) return;
    // The status has been sent already: only a broken connection shows the client that the list is
    // incomplete.
    response.destroy();
    throw error;
  } finally {
    stopWaiting();
  }
}
