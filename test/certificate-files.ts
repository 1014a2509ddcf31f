/** Certificates that are nobody's but a test's, made by openssl, which must be installed (Debian: apt-get install openssl). */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { CertificateFiles } from "../src/http/certificate.ts";

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
