/** Sends an answer: in one write where it is whole, with back-pressure where it comes in pieces. */
import { once } from "node:events";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/** `headers` is taken over, and completed. */
export function sendWhole(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
): void {
  headers["Content-Length"] = Buffer.byteLength(body);
  response.writeHead(status, headers);
  response.end(body);
}

const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A reader that goes away stops the pieces; one that is slow holds them back. After each piece the event loop gets a
 * turn: a reader that is always ready would otherwise starve every other connection.
 */
export async function sendPieces(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  pieces: AsyncIterable<string>,
): Promise<void> {
  response.writeHead(status, headers);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      if (!response.write(piece)) await once(response, "drain", { signal: gone.signal });
      await aTurn();
    }
    response.end();
  } catch (error) {
    if (gone.signal.aborted) return;
    // The start is on its way already: only a broken connection tells the reader that the list is not whole.
    response.destroy();
    throw error;
  }
}
