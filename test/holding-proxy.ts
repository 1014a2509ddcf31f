/**
 * A way to PostgreSQL that can hold a message: so a test stops a node between two statements of a
 * transaction. Everything before the held text reaches the server, and nothing after it until it is released.
 */
import { connect, createServer, type Socket } from "node:net";

export interface HoldingProxy {
  /** The same address, by way of the proxy. */
  readonly url: string;
  /**
   * Holds the next message with this text; resolves when it is there. The driver sends the text of a
   * statement only the first time in a session.
   */
  holdAt(text: string): Promise<void>;
  release(): void;
  close(): Promise<void>;
}

export function holdingProxy(url: string): Promise<HoldingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let wanted: { readonly text: string; readonly resolve: () => void } | null = null;
  let held: { readonly socket: Socket; readonly far: Socket; readonly chunks: Buffer[] } | null = null;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.on("data", (chunk: Buffer) => {
      if (held?.socket === near) {
        held.chunks.push(chunk);
        return;
      }
      const at = wanted === null ? -1 : chunk.indexOf(wanted.text);
      far.write(at < 0 ? chunk : chunk.subarray(0, at));
      if (at < 0) return;
      held = { socket: near, far, chunks: [chunk.subarray(at)] };
      wanted?.resolve();
      wanted = null;
    });
    far.on("data", (chunk) => near.write(chunk));
    near.on("close", () => far.end());
    far.on("close", () => near.destroy());
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on("error", () => {});
    }
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const proxied = new URL(url);
      proxied.port = String(typeof address === "object" ? address?.port : 0);
      resolve({
        url: proxied.href,
        holdAt: (text) =>
          new Promise((there) => {
            wanted = { text, resolve: there };
          }),
        release: () => {
          for (const chunk of held?.chunks ?? []) held?.far.write(chunk);
          held = null;
        },
        close: () =>
          new Promise((closed) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => closed());
          }),
      });
    });
  });
}
