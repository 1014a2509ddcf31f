/** A way to a server that a test controls: for each connection, it decides what reaches the other side. */
import { connect, createServer, type Socket } from "node:net";

export interface Proxy {
  /** The same address, by way of the proxy. */
  readonly url: string;
  /** The open connections, on both sides. */
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

/** `join` connects the caller's side with the server's. */
export function startProxy(url: string, join: (near: Socket, far: Socket) => void): Promise<Proxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    join(near, far);
    for (const socket of [near, far]) {
      sockets.add(socket);
      // Otherwise each round trip would wait for an acknowledgement that is delayed by 40 ms.
      socket.setNoDelay();
      socket.on("error", () => {});
    }
  });
  // A test that fails before it closes the proxy does not keep the process from ending.
  server.unref();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const proxied = new URL(url);
      proxied.port = String(typeof address === "object" ? address?.port : 0);
      resolve({
        url: proxied.href,
        sockets,
        close: () =>
          new Promise((closed) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => closed());
          }),
      });
    });
  });
}
