/**
 * The certificate and key that HTTPS is served with, in two files that something else renews. They are looked at now and
 * then rather than watched, because what renews them exchanges links to them; a pair that is no good is not taken.
 */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}
/** What stands in them. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** From when and until when a certificate is good, in milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

export class BadCertificate extends Error {
  override readonly name = "BadCertificate";
}

export class Certificate {
  readonly #files: CertificateFiles;
  #pair: Pair;
  /** What was said of the files when they were last no good: it is said once. */
  #refusal = "";

  /** Throws BadCertificate where the files cannot be read, or do not belong together. */
  constructor(files: CertificateFiles) {
    this.#files = files;
    this.#pair = readPair(files);
    check(this.#pair, files);
  }

  /** The pair in use. */
  get pair(): Pair {
    return this.#pair;
  }

  /** Of the certificate in use, which is the first in its file. */
  get validity(): Validity {
    const { validFromDate, validToDate } = new X509Certificate(this.#pair.cert);
    return { from: validFromDate.getTime(), until: validToDate.getTime() };
  }

  /** The new pair, where there is one. Throws BadCertificate, once for each reason, where it is no good. */
  renewed(): Pair | null {
    try {
      const pair = readPair(this.#files);
      if (pair.cert !== this.#pair.cert || pair.key !== this.#pair.key) {
        check(pair, this.#files);
        this.#pair = pair;
        this.#refusal = "";
        return pair;
      }
      this.#refusal = "";
    } catch (error) {
      if (!(error instanceof BadCertificate) || error.message !== this.#refusal) {
        this.#refusal = (error as Error).message;
        throw error;
      }
    }
    return null;
  }
}

const readPair = ({ cert, key }: CertificateFiles): Pair => ({ cert: readText(cert), key: readText(key) });

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new BadCertificate(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function check(pair: Pair, { cert, key }: CertificateFiles): void {
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new BadCertificate(
      `${cert} and ${key} are no certificate with its key, in PEM form and without a passphrase: ${(error as Error).message}`,
    );
  }
}
