/** HTTPS by the settings: with which certificate it is served, and that a renewed one is taken while it is. */
import { type Config, ConfigError } from "./config.ts";
import { BadCertificate, Certificate } from "./http/certificate.ts";
import type { HttpServer } from "./http/server.ts";
import type { Log } from "./log.ts";

/** null: plain HTTP. */
export function certificateOf({ tlsCert, tlsKey }: Config): Certificate | null {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null)
    throw new ConfigError("MAILROLL_TLS_CERT and MAILROLL_TLS_KEY go together; only one of them is set");
  try {
    return new Certificate({ cert: tlsCert, key: tlsKey });
  } catch (error) {
    throw error instanceof BadCertificate ? new ConfigError(error.message) : error;
  }
}

const LOOK_MS = 2000;

/** Gives back what ends it. */
export function keepRenewed(certificate: Certificate, server: HttpServer, log: Log): () => void {
  const timer = setInterval(() => renew(certificate, server, log), LOOK_MS);
  return () => clearInterval(timer);
}

function renew(certificate: Certificate, server: HttpServer, log: Log): void {
  try {
    const pair = certificate.renewed();
    if (pair === null) return;
    server.renew(pair);
    log.info("the certificate was renewed");
  } catch (error) {
    log.warn("the new certificate is not used; the old one still is", {}, error);
  }
}
