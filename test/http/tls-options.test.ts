/** The versions, cipher suites and protocols of HTTPS, tried with a client that offers nothing else. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ConnectionOptions, connect } from "node:tls";
import { BodyReader } from "#http/body/body.ts";
import { HttpServer } from "#http/server.ts";
import type { PemPair } from "#http/tls/options.ts";
import { newPair } from "../certificate-files.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-suites-"));
after(() => rmSync(folder, { recursive: true }));

function pairOf(name: string, kind?: string): PemPair {
  const { cert, key } = newPair(folder, name, 2, kind);
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}
const pairs: Readonly<Record<string, PemPair>> = { RSA: pairOf("rsa", "rsa:2048"), ECDSA: pairOf("ec") };

interface Connected {
  readonly suite: string;
  readonly protocol: string | false | null;
}
/** Rejects if the handshake fails. */
function offered(port: number, options: ConnectionOptions): Promise<Connected> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options }, () => {
      resolve({ suite: socket.getCipher().name, protocol: socket.alpnProtocol });
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
const tls12 = (ciphers: string): ConnectionOptions => ({ maxVersion: "TLSv1.2", ciphers });

for (const [kind, pair] of Object.entries(pairs))
  describe(`with an ${kind} certificate`, () => {
    let server: HttpServer;
    let port = 0;
    before(async () => {
      server = new HttpServer(() => false, new BodyReader(1024), { certificate: pair });
      port = await server.listen("127.0.0.1", 0);
    });
    after(() => server.close(0));

    const served = [
      "AES128-GCM-SHA256",
      "AES256-GCM-SHA384",
      "CHACHA20-POLY1305",
      "AES128-SHA256",
      "AES128-SHA",
      "AES256-SHA",
    ].map((cipher) => `ECDHE-${kind}-${cipher}`);
    for (const suite of served)
      test(`serves ${suite}`, async () => {
        assert.equal((await offered(port, tls12(suite))).suite, suite);
      });

    const insecure = ["AES128-SHA", "AES256-SHA256", "AES128-GCM-SHA256", "AES128-CCM", "ARIA128-GCM-SHA256"];
    for (const suite of insecure)
      test(`refuses ${suite}, whose key exchange has no forward secrecy, also after a renewal`, async () => {
        server.useCertificate(pair);
        await assert.rejects(offered(port, tls12(suite)), /handshake failure/);
      });

    test("prefers GCM to CBC, whatever the client prefers", async () => {
      const both = `ECDHE-${kind}-AES128-SHA:ECDHE-${kind}-AES128-GCM-SHA256`;
      assert.equal((await offered(port, tls12(both))).suite, `ECDHE-${kind}-AES128-GCM-SHA256`);
    });

    test("refuses TLS 1.1", async () => {
      const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
      await assert.rejects(offered(port, old), /protocol version/);
    });

    test("serves TLS 1.3", async () => {
      assert.match((await offered(port, { minVersion: "TLSv1.3" })).suite, /^TLS_/);
    });

    test("agrees on HTTP/1.1 or HTTP/1.0, also after a renewal", async () => {
      server.useCertificate(pair);
      for (const ALPNProtocols of [["http/1.0"], ["http/1.1"], ["h2", "http/1.1"]])
        assert.equal((await offered(port, { ALPNProtocols })).protocol, ALPNProtocols.at(-1));
    });
  });
