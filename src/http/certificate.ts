/**
 * The certificate and key that HTTPS is served with, in two files that something else renews. They are looked at now and
 * then rather than watched, because what renews them exchanges links to them; a pair that is no good is not taken.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readSmallFile } from "./small-file.ts";
import type { PemPair } from "./tls-options.ts";
import { trialHandshake } from "./trial-handshake.ts";

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** From when and until when a certificate is good, in milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

export const isValidAt = ({ from, until }: Validity, now: number): boolean => now >= from && now < until;

/** What stands in the files, and the validity of the certificate, which is the first in its file. */
export interface Pair extends PemPair {
  readonly validity: Validity;
}

export class BadCertificate extends Error {
  override readonly name = "BadCertificate";
}

export class Certificate {
  readonly #files: CertificateFiles;
  #pair: Pair;
  /** What was said of the files when they were last no good: it is said once. */
  #refusal = "";

  private constructor(files: CertificateFiles, pair: Pair) {
    this.#files = files;
    this.#pair = pair;
  }

  /** Rejects with BadCertificate where the files cannot be read, or no caller could connect. */
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

  /** The new pair, where there is one. Rejects with BadCertificate, once for each reason, where it is no good. */
  async renewed(now: number): Promise<Pair | null> {
    try {
      const pair = await this.#changed(now);
      this.#refusal = "";
      if (pair !== null) this.#pair = pair;
      return pair;
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof BadCertificate && message === this.#refusal) return null;
      this.#refusal = message;
      throw error;
    }
  }

  async #changed(now: number): Promise<Pair | null> {
    const texts = readTexts(this.#files);
    if (texts.cert === this.#pair.cert && texts.key === this.#pair.key) return null;
    const pair = parsePair(texts, this.#files);
    if (isValidAt(this.validity, now) && !isValidAt(pair.validity, now)) {
      const [from, until] = [pair.validity.from, pair.validity.until].map((at) => new Date(at).toISOString());
      throw new BadCertificate(
        `${this.#files.cert} is valid from ${from} to ${until}, which is not now, and the certificate in use is valid`,
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
    await trialHandshake(pair);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice = "use a key on the curve P-256, or an RSA key of 2048 bits or more";
    throw new BadCertificate(
      `callers could not connect with ${cert} and ${key} (${code ?? message}); ${advice}`,
    );
  }
}
