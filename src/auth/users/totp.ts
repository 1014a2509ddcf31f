/**
 * Codes for a second factor: time-based one-time passwords (RFC 6238), as authenticator apps make them. Apps
 * know only SHA-1, six digits and 30 seconds well.
 */
import { Secret, TOTP } from "otpauth";

const PERIOD_S = 30;
/** The clock of a telephone may be a step ahead or behind. */
const WINDOW = 1;
const ISSUER = "Mailroll";

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: ISSUER,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_S,
  });

/** 160 bits, in Base32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** What an authenticator app reads from a QR code. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/** The number of the time step whose code this is; null: the code is wrong. */
export function totpStep(secret: string, code: string, at: number): number | null {
  const token = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(token)) return null;
  const delta = totpOf(secret, "").validate({ token, timestamp: at, window: WINDOW });
  return delta === null ? null : Math.floor(at / 1000 / PERIOD_S) + delta;
}
