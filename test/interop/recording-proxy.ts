/**
 * A way to the server that changes no byte and remembers what the server said, so that answers can be looked
 * at later.
 */
import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export class RecordingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #received: Buffer[][] = [];
  /** The port of the server behind. */
  target = 0;

  private constructor() {
    this.#server = createServer((near) => {
      const far = connect(this.target, "127.0.0.1");
      const received: Buffer[] = [];
      this.#received.push(received);
      far.on("data", (chunk) => received.push(chunk));
      near.pipe(far);
      far.pipe(near);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => {
          near.destroy();
          far.destroy();
        });
        socket.on("close", () => this.#sockets.delete(socket));
      }
    });
  }

  static async listen(): Promise<RecordingProxy> {
    const proxy = new RecordingProxy();
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, "127.0.0.1", resolve);
    });
    return proxy;
  }

  get origin(): string {
    const address = this.#server.address();
    assert.ok(typeof address === "object" && address !== null);
    return `http://localhost:${address.port}`;
  }

  /** What the server said since the last time, each answer out of its chunks and inflated. */
  take(): readonly Answer[] {
    const taken = this.#received;
    this.#received = [];
    return taken.flatMap((pieces) => answersIn(Buffer.concat(pieces)));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

/** All answers on one connection, in their order. */
export function answersIn(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\r\n\r\n", at);
    assert.notEqual(end, -1, "a head without an end");
    const [first = "", ...lines] = bytes.toString("latin1", at, end).split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    at = end + 4;
    if (status === 100) continue;
    const { body, next } = bodyAt(bytes, at, headers);
    answers.push({
      status,
      headers,
      body: headers.get("content-encoding") === "gzip" ? gunzipSync(body) : body,
    });
    at = next;
  }
  return answers;
}

function bodyAt(
  bytes: Buffer,
  start: number,
  headers: ReadonlyMap<string, string>,
): { body: Buffer; next: number } {
  if (headers.get("transfer-encoding") === "chunked") return chunksAt(bytes, start);
  const length = headers.get("content-length");
  const next = length === undefined ? bytes.length : start + Number(length);
  assert.ok(next <= bytes.length, "an answer that was cut off");
  return { body: bytes.subarray(start, next), next };
}

function chunksAt(bytes: Buffer, start: number): { body: Buffer; next: number } {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const end = bytes.indexOf("\r\n", at);
    assert.notEqual(end, -1, "an answer that was cut off");
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (size === 0) return { body: Buffer.concat(chunks), next: end + 4 };
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
