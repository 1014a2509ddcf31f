/**
 * Calls back when a connection is closed, with one listener per socket for any number of callbacks: Node
 * warns of a leak beyond ten listeners, and a client may pipeline more requests than that.
 */
import type { Socket } from "node:net";

const waiting = new WeakMap<Socket, Set<() => void>>();

/** Returns a function that removes the callback. */
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
