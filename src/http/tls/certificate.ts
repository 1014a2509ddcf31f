/**
 * The certificate and key that HTTPS is served with, from two files that another program renews. The files
 * are polled rather than watched, because ACME clients replace symbolic links to them. An unusable pair is
 * rejected.
 */

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { duplexPair } from "node:stream";
import { connect, createSecureContext, TLSSocket } from "node:tls";
import { OLDEST_VERSION, type PemPair, tlsOptions } from "./options.ts";

/** Reads a file on the main thread, where a pipe, a device or a huge file would block the whole service. */
const MAX_BYTES = 1024 ** 2;

function readSmallFile(file: string): string {
  // Opening a pipe would wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes; the limit is ${MAX_BYTES}`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

// A TLS handshake in memory, between a server with our options and a client of the oldest version that is
// served. OpenSSL loads certificates that no client can use, such as those on uncommon curves; only a
// handshake shows it.

/** Rejects if the handshake fails. */
async function handshakeSelfTest(pair: PemPair): Promise<void> {
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

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The validity period of a certificate, in milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

const isValidAt = ({ from, until }: Validity, now: number): boolean => now >= from && now < until;

/** The contents of the files, and the validity of the first certificate in its file. */
export interface Pair extends PemPair {
  readonly validity: Validity;
}

export class BadCertificate extends Error {
  override readonly name = "BadCertificate";
}

export class Certificate {
  readonly #files: CertificateFiles;
  #pair: Pair;
  /** The last rejection: each reason is reported once. */
  #lastError = "";

  private constructor(files: CertificateFiles, pair: Pair) {
    this.#files = files;
    this.#pair = pair;
  }

  /** Rejects with BadCertificate where the files cannot be read, or no client could connect. */
  static async open(files: CertificateFiles): Promise<Certificate> {
    const pair = parsePair(readTexts(files), files);
    await checkHandshake(pair, files);
    return new Certificate(files, pair);
  }

  /** The pair in use. */
  get pair(): Pair {
    return this.#pair;
  }

  /** Of the certificate in use. */
  get validity(): Validity {
    return this.#pair.validity;
  }

  /**
   * The new pair; null: unchanged. Rejects with BadCertificate, once for each reason, where it is unusable.
   */
  async reload(now: number): Promise<Pair | null> {
    try {
      const pair = await this.#readChanged(now);
      this.#lastError = "";
      if (pair !== null) this.#pair = pair;
      return pair;
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof BadCertificate && message === this.#lastError) return null;
      this.#lastError = message;
      throw error;
    }
  }

  async #readChanged(now: number): Promise<Pair | null> {
    const texts = readTexts(this.#files);
    if (texts.cert === this.#pair.cert && texts.key === this.#pair.key) return null;
    const pair = parsePair(texts, this.#files);
    if (isValidAt(this.validity, now) && !isValidAt(pair.validity, now)) {
      const [from, until] = [pair.validity.from, pair.validity.until].map((at) => new Date(at).toISOString());
      throw new BadCertificate(
        `${this.#files.cert} is valid from ${from} to ${until}, which is not now; the certificate in use is valid and stays in use`,
      );
    }
    await checkHandshake(pair, this.#files);
    return pair;
  }
}

const readTexts = ({ cert, key }: CertificateFiles): PemPair => ({
  cert: readText(cert),
  key: readText(key),
});

function readText(file: string): string {
  try {
    return readSmallFile(file);
  } catch (error) {
    throw new BadCertificate(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function parsePair({ cert, key }: PemPair, files: CertificateFiles): Pair {
  const certificate = parseCertificate(cert, files.cert);
  if (!certificate.checkPrivateKey(parseKey(key, files.key)))
    throw new BadCertificate(`${files.key} is not the key of the first certificate in ${files.cert}`);
  const { validFromDate, validToDate } = certificate;
  return { cert, key, validity: { from: validFromDate.getTime(), until: validToDate.getTime() } };
}

function parseCertificate(text: string, file: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new BadCertificate(`${file} is not a certificate in PEM form: ${(error as Error).message}`);
  }
}

function parseKey(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    const reason = (error as Error).message;
    throw new BadCertificate(`${file} is not a private key in PEM form and without a passphrase: ${reason}`);
  }
}

async function checkHandshake(pair: Pair, { cert, key }: CertificateFiles): Promise<void> {
  try {
    await handshakeSelfTest(pair);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice = "use a key on the curve P-256, or an RSA key of 2048 bits or more";
    throw new BadCertificate(
      `clients could not connect with ${cert} and ${key} (${code ?? message}); ${advice}`,
    );
  }
}
