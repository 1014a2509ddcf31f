/** Sends a case to the program and returns its responses: by node:http, or over a raw socket. */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { type Answer, answersIn } from "./answers.ts";
import type { Case } from "./cases.ts";

/** Far more than any response takes; a longer one counts as a hang. */
const HANG_MS = 20_000;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export const send = (port: number, given: Case): Promise<Answer[]> =>
  given.raw === null ? byHttp(port, given) : bySocket(port, given.raw, given.answers[0] > 0);

function byHttp(port: number, given: Case): Promise<Answer[]> {
  const { method, path, headers, body } = given;
  return new Promise((resolve, reject) => {
    const call = request({ port, host: "127.0.0.1", agent, method, path, timeout: HANG_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve([
          {
            status: response.statusCode ?? 0,
            contentType: response.headers["content-type"] ?? "",
            body: Buffer.concat(chunks),
          },
        ]),
      );
    });
    for (const [name, value] of headers) call.setHeader(name, value);
    // For GET, HEAD and others, node:http would send a body without its length.
    if (body.length > 0) call.setHeader("Content-Length", body.length);
    call.on("timeout", () => call.destroy(new Error("it hangs")));
    call.on("error", (error) => {
      // The server may have closed an idle connection at the moment it was reused.
      if (call.reusedSocket && error.message === "socket hang up") byHttp(port, given).then(resolve, reject);
      else reject(error);
    });
    if (!call.hasHeader("Expect")) return call.end(body);
    // As clients do that ask first: a server that wants no body responds and closes.
    call.flushHeaders();
    call.on("continue", () => call.end(body));
  });
}

/**
 * Reads until the server closes. A client that expects a response must not end its side first: that would
 * count as a disconnect.
 */
function bySocket(port: number, raw: Buffer, staysForAnswer: boolean): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(HANG_MS, () => socket.destroy(new Error("it hangs")));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // The server may respond and close before the whole request is sent.
      if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
    });
    socket.on("close", () => {
      try {
        resolve(answersIn(Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
    if (staysForAnswer) socket.write(raw);
    else socket.end(raw);
  });
}

export const closeConnections = (): void => agent.destroy();
