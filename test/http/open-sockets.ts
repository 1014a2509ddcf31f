/** Sockets to a server of a test, which end with the test. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { connect as connectTls } from "node:tls";
import type { HttpServer } from "#http/server.ts";

/** Makes the server listen. Returns what opens a connection to it. */
export async function openSockets(
  t: TestContext,
  server: HttpServer,
  isTls: boolean,
): Promise<() => Promise<Socket>> {
  const port = await server.listen("127.0.0.1", 0);
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close(0);
  });
  return async () => {
    const socket = isTls
      ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
      : connect(port, "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => {});
    await once(socket, isTls ? "secureConnect" : "connect");
    return socket;
  };
}
