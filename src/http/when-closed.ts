/**
 * Calls back when a connection is closed. However many wait for it, the socket has one listener: Node warns of a leak
 * beyond ten, and a client may send more requests than that at once.
 */
import type { Socket } from "node:net";

const waiting = new WeakMap<Socket, Set<() => void>>();

/** What is given back takes the callback off again. */
export function whenClosed(socket: Socket, callback: () => void): () => void {
  const callbacks = waiting.get(socket) ?? listen(socket);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

function listen(socket: Socket): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(socket, callbacks);
  socket.once("close", () => {
    for (const callback of callbacks) callback();
  });
  return callbacks;
}
