/**
 * HTTPS by the settings: with which certificate it is served, that a renewed one is taken while it is, and that somebody hears of
 * one that nobody renews.
 */
import cluster from "node:cluster";
import type { Config } from "./config.ts";
import { BadCertificate, Certificate, type Validity } from "./http/certificate.ts";
import { type Renewable, SharedCertificate, shareCertificate } from "./http/shared-certificate.ts";
import { ConfigError } from "./load-config.ts";
import type { Log } from "./log.ts";

/** From the files, or in a worker from the primary. */
export type ServedCertificate = Certificate | SharedCertificate;

/** null: plain HTTP. */
export async function certificateOf({ tlsCert, tlsKey }: Config): Promise<ServedCertificate | null> {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null)
    throw new ConfigError("MAILROLL_TLS_CERT and MAILROLL_TLS_KEY go together; only one of them is set");
  if (cluster.isWorker) return SharedCertificate.fetch();
  try {
    return await Certificate.open({ cert: tlsCert, key: tlsKey });
  } catch (error) {
    throw error instanceof BadCertificate ? new ConfigError(error.message) : error;
  }
}

const LOOK_MS = 2000;
const DAY_MS = 86_400_000;
const EARLY_MS = 14 * DAY_MS;

/**
 * What an operator must do something about, or null. What renews certificates does so when a third of their time is left, which for
 * the short ones is less than two weeks.
 */
export function concernAbout({ from, until }: Validity, now: number): string | null {
  if (now < from)
    return "the certificate is not valid yet, and callers who check it turn away; check its dates and this machine's clock";
  if (now >= until)
    return "the certificate has expired, and callers who check it turn away; renew it: the files are taken as they change";
  if (until - now >= Math.min(EARLY_MS, (until - from) / 3)) return null;
  return "the certificate expires soon, and should have been renewed; see what is wrong with that";
}

/** What a person should know of the public address, or null. */
export function concernAboutAddress({ baseUrl, tlsCert }: Config): string | null {
  if (tlsCert === null || baseUrl === null || baseUrl.startsWith("https:")) return null;
  return `MAILROLL_BASE_URL is ${baseUrl}, but HTTPS is served, and the WSDL sends callers there; let it begin with https://`;
}

export interface Keeping {
  readonly certificate: ServedCertificate;
  readonly server: Renewable;
  readonly clock: () => number;
  readonly log: Log;
}

/** Gives back what ends it. */
export function keepRenewed({ certificate, server, clock, log }: Keeping): () => void {
  // The primary looks at the files, and logs what it finds.
  if (certificate instanceof SharedCertificate) return certificate.renewOn(server);
  const warn = (): void => {
    const { validity } = certificate;
    const concern = concernAbout(validity, clock());
    const [validFrom, expires] = [validity.from, validity.until].map((at) => new Date(at).toISOString());
    if (concern !== null) log.warn(concern, { validFrom, expires });
  };
  let isBusy = false;
  const renew = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const pair = await certificate.renewed(clock());
      if (pair === null) return;
      server.renew(pair);
      log.info("the certificate was renewed");
      warn();
    } catch (error) {
      log.warn("the new certificate is not used; the old one still is", {}, error);
    } finally {
      isBusy = false;
    }
  };
  // An expired one is served with all the same: of those who call, many do not look.
  warn();
  const timers = [setInterval(() => void renew(), LOOK_MS), setInterval(warn, DAY_MS)];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** In the primary: the workers serve with what it keeps renewed. Gives back what ends it. */
export async function keepRenewedForWorkers(config: Config, log: Log): Promise<() => void> {
  const certificate = await certificateOf(config);
  if (certificate === null) return () => {};
  return keepRenewed({ certificate, server: shareCertificate(certificate), clock: Date.now, log });
}
