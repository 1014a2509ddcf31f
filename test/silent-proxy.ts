/** A way to a server that can fall silent: connections stay open and new ones are taken, but nothing gets through. */
import { connect, createServer, type Socket } from "node:net";

export interface SilentProxy {
  /** The same address, by way of the proxy. */
  readonly url: string;
  fallSilent(): void;
  close(): Promise<void>;
}

export function silentProxy(url: string): Promise<SilentProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("data", (chunk) => isSilent || other.write(chunk));
      one.on("close", () => isSilent || other.destroy());
      one.on("error", () => {});
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
        close: () =>
          new Promise((closed) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => closed());
          }),
      });
    });
  });
}
