/** Files of a new certificate and its key, for whoever serves HTTPS in a test. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** Signed by itself, for localhost, from now on for so many days; made by openssl, which must be installed. */
export function newCertificatePair(folder: string, name: string, days = 2): CertificatePair {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days ${days} -subj /CN=${name} -addext subjectAltName=DNS:localhost`;
  try {
    execFileSync("openssl", [...words.split(" "), "-keyout", key, "-out", cert], { stdio: "pipe" });
  } catch (cause) {
    throw new Error("certificates are made with openssl; install it (Debian: apt-get install openssl)", {
      cause,
    });
  }
  return { cert, key };
}
