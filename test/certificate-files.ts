/**
 * Certificates that are nobody's but a test's, made by openssl, which must be installed (Debian: apt-get
 * install openssl).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CertificateFiles } from "#http/tls/certificate.ts";
import type { PemPair } from "#http/tls/options.ts";

function openssl(words: string, ...files: readonly string[]): void {
  try {
    execFileSync("openssl", [...words.split(" "), ...files], { stdio: "pipe" });
  } catch (cause) {
    const advice = "install it (Debian: apt-get install openssl)";
    throw new Error(`these tests make certificates with openssl; ${advice}`, { cause });
  }
}

const filesOf = (folder: string, name: string): CertificateFiles => ({
  cert: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
});

export const P256 = "ec -pkeyopt ec_paramgen_curve:prime256v1";

/** A new certificate, good for so many days, and its key, in files of the folder. */
export function newPair(folder: string, name: string, days = 2, kind = P256): CertificateFiles {
  const { cert, key } = filesOf(folder, name);
  const subject = `-subj /CN=${name} -addext subjectAltName=DNS:localhost`;
  openssl(`req -x509 -newkey ${kind} -nodes -days ${days} ${subject}`, "-keyout", key, "-out", cert);
  return { cert, key };
}

/** A DSA key takes its parameters from a file. */
export function newDsaPair(folder: string, name: string): CertificateFiles {
  const parameters = join(folder, `${name}.parameters`);
  openssl("dsaparam -out", parameters, "2048");
  return newPair(folder, name, 2, `dsa:${parameters}`);
}

/** A new certificate that is valid between two times, and its key. */
export function datedPair(folder: string, name: string, from: Date, until: Date): CertificateFiles {
  const { cert, key } = filesOf(folder, name);
  const authority = mkdtempSync(join(folder, "authority-"));
  const [config, request] = [join(authority, "config"), join(authority, "request")];
  writeFileSync(
    config,
    `[ca]\ndefault_ca=d\n[d]\ndatabase=${authority}/index\nserial=${authority}/serial\nnew_certs_dir=${authority}\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n`,
  );
  writeFileSync(join(authority, "index"), "");
  writeFileSync(join(authority, "serial"), "01");
  const written = (at: Date): string => at.toISOString().replace(/\.\d+|[-:T]/g, "");
  openssl(`req -new -newkey ${P256} -nodes -subj /CN=${name}`, "-keyout", key, "-out", request);
  openssl(
    `ca -batch -selfsign -notext -startdate ${written(from)} -enddate ${written(until)}`,
    ...["-config", config, "-keyfile", key, "-in", request, "-out", cert],
  );
  return { cert, key };
}

/** A new certificate and its key, in no file. */
export function temporaryPair(name: string): PemPair {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-pair-"));
  try {
    const { cert, key } = newPair(folder, name);
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
