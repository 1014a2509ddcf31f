/** Sends an answer: in one write where it is whole, with back-pressure where it comes in chunks. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ListPlace } from "./list-places.ts";
import { whenClosed } from "./when-closed.ts";

/** `headers` is taken over, and completed. */
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
 * A reader that goes away stops the chunks; one that is slow delays them: the next is asked for when the one before has
 * left this process. The list's place knows since when a chunk waits for the reader. After each chunk the event loop gets
 * a turn: a reader that is always ready would otherwise starve every other connection.
 */
export async function sendChunks(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  chunks: AsyncIterable<string | Uint8Array>,
  place: ListPlace | null = null,
): Promise<void> {
  headers["X-Content-Type-Options"] = "nosniff";
  response.writeHead(status, headers);
  let goOn = (): void => {};
  // Not the response's own: it has none while it waits behind another, and is then not told of the end either.
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
      place?.sending(end);
      await sent(chunk);
      place?.sent();
      await yieldToEventLoop();
    }
    response.end();
  } catch (error) {
    if (socket.destroyed) return;
    // The start is on its way already: only a broken connection tells the reader that the list is not whole.
    response.destroy();
    throw error;
  } finally {
    stopWaiting();
  }
}
