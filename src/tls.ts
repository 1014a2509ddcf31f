/**
 * HTTPS by the settings: with which certificate it is served, that a renewed one is taken while it is, and that somebody hears of
 * one that nobody renews.
 */
import { type Config, ConfigError } from "./config.ts";
import { BadCertificate, Certificate, type Validity } from "./http/certificate.ts";
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
const DAY_MS = 86_400_000;
const EARLY_MS = 14 * DAY_MS;

/**
 * What an operator must do something about, or null. What renews certificates does so when a third of their time is left, which for
 * the short ones is less than two weeks.
 */
export function concernAbout({ from, until }: Validity, now: number): string | null {
  if (now >= until)
    return "the certificate has expired, and callers who check it turn away; renew it: the files are taken as they change";
  if (until - now >= Math.min(EARLY_MS, (until - from) / 3)) return null;
  return "the certificate expires soon, and should have been renewed; see what is wrong with that";
}

export interface Keeping {
  readonly certificate: Certificate;
  readonly server: HttpServer;
  readonly clock: () => number;
  readonly log: Log;
}

/** Gives back what ends it. */
export function keepRenewed({ certificate, server, clock, log }: Keeping): () => void {
  const warn = (): void => {
    const { validity } = certificate;
    const concern = concernAbout(validity, clock());
    if (concern !== null) log.warn(concern, { expires: new Date(validity.until).toISOString() });
  };
  const renew = (): void => {
    try {
      const pair = certificate.renewed();
      if (pair === null) return;
      server.renew(pair);
      log.info("the certificate was renewed");
      warn();
    } catch (error) {
      log.warn("the new certificate is not used; the old one still is", {}, error);
    }
  };
  // An expired one is served with all the same: of those who call, many do not look.
  warn();
  const timers = [setInterval(renew, LOOK_MS), setInterval(warn, DAY_MS)];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
