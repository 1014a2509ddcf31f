/** Sends an answer: in one write where it is whole, with back-pressure where it comes in pieces. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

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

/** A reader of a list that takes nothing for so long, or for twice as long at most, is let go: others wait for its place. */
export const STALLED_MS = 10_000;

const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A reader that goes away stops the pieces; one that is slow holds them back: the next is asked for when the one before has
 * left this process, and one that takes none of it for a time loses the connection. After each piece the event loop gets a turn: a reader that is always ready would otherwise starve
 * every other connection.
 */
export async function sendPieces(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  pieces: AsyncIterable<string | Uint8Array>,
  stalledMs = STALLED_MS,
): Promise<void> {
  headers["X-Content-Type-Options"] = "nosniff";
  response.writeHead(status, headers);
  let goOn = (): void => {};
  // Not the response's own: it has none while it waits behind another, and is then not told of the end either.
  const { socket } = response.req;
  const usualMs = socket.timeout ?? 0;
  const shortMs = usualMs === 0 ? stalledMs : Math.min(stalledMs, usualMs);
  const onClose = (): void => goOn();
  socket.once("close", onClose);
  // Only while a piece is on its way: that the database takes its time is not the reader's fault. What Node counts as
  // silence is that not a byte was taken, so a reader that is slow but reads goes on.
  const sent = async (piece: string | Uint8Array): Promise<void> => {
    socket.setTimeout(shortMs);
    await new Promise<void>((resolve) => {
      goOn = resolve;
      response.write(piece, () => resolve());
    });
    socket.setTimeout(usualMs);
  };
  try {
    for await (const piece of pieces) {
      if (socket.destroyed) return;
      await sent(piece);
      await aTurn();
    }
    response.end();
  } catch (error) {
    if (socket.destroyed) return;
    // The start is on its way already: only a broken connection tells the reader that the list is not whole.
    response.destroy();
    throw error;
  } finally {
    socket.off("close", onClose);
  }
}
