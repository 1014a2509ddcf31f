/** Servers of the package smtp-server, on loopback, which keep what they accept. */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface Delivered {
  readonly from: string;
  readonly to: string;
  readonly isSecure: boolean;
  readonly user: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
  readonly delivered: readonly Delivered[];
  readonly errors: readonly string[];
}

export async function startServer(options: SMTPServerOptions): Promise<RunningServer> {
  const delivered: Delivered[] = [];
  const errors: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        delivered.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo[0]?.address ?? "",
          isSecure: session.secure,
          user: typeof session.user === "string" ? session.user : null,
          parameters: mailFrom === false ? {} : { ...mailFrom.args },
          bytes: Buffer.concat(chunks),
        });
        done(null, "queued");
      });
    },
    ...options,
  });
  server.on("error", (error: Error) => errors.push(error.message));
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    delivered,
    errors,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
