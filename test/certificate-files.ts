/** Certificates that are nobody's but a test's, made by openssl, which must be installed (Debian: apt-get install openssl). */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CertificateFiles, Pair } from "../src/http/certificate.ts";

/** A new certificate, good for so many days, and its key, in files of the folder. */
export function newPair(folder: string, name: string, days = 2): CertificateFiles {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days ${days} -subj /CN=${name} -addext subjectAltName=DNS:localhost`;
  try {
    execFileSync("openssl", [...words.split(" "), "-keyout", key, "-out", cert], { stdio: "pipe" });
  } catch (cause) {
    const advice = "install it (Debian: apt-get install openssl)";
    throw new Error(`these tests make certificates with openssl; ${advice}`, { cause });
  }
  return { cert, key };
}

/** A new certificate and its key, in no file. */
export function temporaryPair(name: string): Pair {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-pair-"));
  try {
    const { cert, key } = newPair(folder, name);
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
