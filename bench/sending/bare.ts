/**
 * What the service is compared with: connections of nodemailer that send equal bytes, one message after the
 * other, without a ledger, templates or limits.
 */
import { once } from "node:events";
import SMTPConnection from "nodemailer/lib/smtp-connection/index.js";

export interface Bare {
  readonly port: number;
  readonly connections: number;
  readonly messages: number;
  readonly bytes: Buffer;
}

/** Messages per second. */
export async function bareRate({ port, connections, messages, bytes }: Bare): Promise<number> {
  const opened = await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = new SMTPConnection({ host: "127.0.0.1", port, ignoreTLS: true });
      const connected = once(connection, "connect");
      connection.connect(() => {});
      await connected;
      return connection;
    }),
  );
  let left = messages;
  const began = performance.now();
  await Promise.all(
    opened.map(async (connection) => {
      while (left > 0) {
        left -= 1;
        await new Promise<void>((resolve, reject) => {
          const envelope = { from: "news@example.org", to: [`${left}@example.net`] };
          connection.send(envelope, bytes, (error) => (error === null ? resolve() : reject(error)));
        });
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  for (const connection of opened) connection.quit();
  return messages / seconds;
}
