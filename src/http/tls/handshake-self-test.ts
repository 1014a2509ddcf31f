/**
 * A TLS handshake in memory, between a server with our options and a client of the oldest version that is
 * served. OpenSSL loads certificates that no client can use, such as those on uncommon curves; only a
 * handshake shows it.
 */
import { duplexPair } from "node:stream";
import { connect, createSecureContext, TLSSocket } from "node:tls";
import { OLDEST_VERSION, type PemPair, tlsOptions } from "./options.ts";

/** Rejects if the handshake fails. */
export async function handshakeSelfTest(pair: PemPair): Promise<void> {
  const [near, far] = duplexPair();
  const server = new TLSSocket(near, {
    isServer: true,
    secureContext: createSecureContext(tlsOptions(pair)),
  });
  // Whether the name and the issuer are right is for clients to decide.
  const client = connect({ socket: far, maxVersion: OLDEST_VERSION, rejectUnauthorized: false });
  try {
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject);
      client.on("error", reject);
      client.on("close", () => reject(new Error("the connection was closed")));
      client.on("secureConnect", resolve);
    });
  } finally {
    client.destroy();
    server.destroy();
  }
}
