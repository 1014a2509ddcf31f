/**
 * A way to a server that fails: it can fall silent with its connections open, or break one at the worst
 * moment.
 */
import { connect, createServer, type Socket } from "node:net";

export interface FailingProxy {
  /** The same address, by way of the proxy. */
  readonly url: string;
  /** Connections stay and new ones are taken, but nothing gets through any more. */
  fallSilent(): void;
  /** Ends the silence. What was said meanwhile is lost, and with it the connections that it was said on. */
  speakAgain(): void;
  /** The next message with this text reaches the server, and the answer reaches nobody. */
  breakAt(text: string): void;
  close(): Promise<void>;
}

export function failingProxy(url: string): Promise<FailingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let fatal: string | null = null;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.on("data", (chunk) => {
      if (isSilent) return;
      far.write(chunk);
      if (fatal === null || !chunk.includes(fatal)) return;
      fatal = null;
      near.destroy();
    });
    far.on("data", (chunk) => isSilent || near.write(chunk));
    near.on("close", () => isSilent || far.end());
    far.on("close", () => isSilent || near.destroy());
    for (const socket of [near, far]) {
      sockets.add(socket);
      // Else each journey would wait for an acknowledgement that is delayed by 40 ms.
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
        fallSilent: () => {
          isSilent = true;
        },
        speakAgain: () => {
          isSilent = false;
          for (const socket of sockets) socket.destroy();
          sockets.clear();
        },
        breakAt: (text) => {
          fatal = text;
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
