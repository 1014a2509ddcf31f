/**
 * HTTPS as configured: opens the certificate, reloads it when its files change, and warns in the log when it
 * is about to expire.
 */
import cluster from "node:cluster";
import { BadCertificate, Certificate, type Validity } from "#http/tls/certificate.ts";
import { type CertificateUser, SharedCertificate, shareCertificate } from "#http/tls/shared-certificate.ts";
import type { Log } from "./log/log.ts";
import type { Config } from "./settings/config.ts";
import { ConfigError } from "./settings/load-config.ts";

/** Read from the files, or in a worker received from the primary. */
export type ServedCertificate = Certificate | SharedCertificate;

/** null: plain HTTP. */
export async function certificateOf({ tlsCert, tlsKey }: Config): Promise<ServedCertificate | null> {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null)
    throw new ConfigError("only one of MAILROLL_TLS_CERT and MAILROLL_TLS_KEY is set; set both, or neither");
  if (cluster.isWorker) return SharedCertificate.fetch();
  try {
    return await Certificate.open({ cert: tlsCert, key: tlsKey });
  } catch (error) {
    throw error instanceof BadCertificate ? new ConfigError(error.message) : error;
  }
}

const CHECK_MS = 2000;
const DAY_MS = 86_400_000;
const EXPIRY_WARNING_MS = 14 * DAY_MS;

/**
 * What an operator must act on, or null. ACME clients renew when a third of the lifetime is left, which for
 * short-lived certificates is less than two weeks.
 */
export function certificateWarning({ from, until }: Validity, now: number): string | null {
  if (now < from)
    return "the certificate is not valid yet, and clients that verify it cannot connect; check its dates and this machine's clock";
  if (now >= until)
    return "the certificate has expired, and clients that verify it cannot connect; renew it: changed files are loaded without a restart";
  if (until - now >= Math.min(EXPIRY_WARNING_MS, (until - from) / 3)) return null;
  return "the certificate expires soon and has not been renewed; check the program that renews it";
}

/** A warning about MAILROLL_BASE_URL, or null. */
export function baseUrlWarning({ baseUrl, tlsCert }: Config): string | null {
  if (tlsCert === null || baseUrl === null || baseUrl.startsWith("https:")) return null;
  return `MAILROLL_BASE_URL is ${baseUrl}, but the service speaks HTTPS, and the WSDL sends callers to that address; let it begin with https://`;
}

export interface ReloadOptions {
  readonly certificate: ServedCertificate;
  readonly server: CertificateUser;
  readonly clock: () => number;
  readonly log: Log;
}

/** Returns a function that stops it. */
export function startCertificateReload({ certificate, server, clock, log }: ReloadOptions): () => void {
  // The primary reads the files, and logs.
  if (certificate instanceof SharedCertificate) return certificate.updateOn(server);
  const warn = (): void => {
    const { validity } = certificate;
    const warning = certificateWarning(validity, clock());
    const [validFrom, expires] = [validity.from, validity.until].map((at) => new Date(at).toISOString());
    if (warning !== null) log.warn(warning, { validFrom, expires });
  };
  let isBusy = false;
  const reload = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const pair = await certificate.reload(clock());
      if (pair === null) return;
      server.useCertificate(pair);
      log.info("certificate reloaded");
      warn();
    } catch (error) {
      log.warn("certificate reload failed, the current one stays in use", {}, error);
    } finally {
      isBusy = false;
    }
  };
  // An expired certificate is served all the same: many clients do not verify it.
  warn();
  const timers = [setInterval(() => void reload(), CHECK_MS), setInterval(warn, DAY_MS)];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** In the primary: reloads the certificate for all workers. Returns a function that stops it. */
export async function startCertificateReloadForWorkers(config: Config, log: Log): Promise<() => void> {
  const certificate = await certificateOf(config);
  if (certificate === null) return () => {};
  return startCertificateReload({ certificate, server: shareCertificate(certificate), clock: Date.now, log });
}
