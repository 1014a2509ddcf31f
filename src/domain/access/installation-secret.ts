/** Keys for single purposes, derived from the secret of the installation. */
import { hkdfSync, randomBytes } from "node:crypto";

const BYTES = 32;
export const newInstallationSecret = (): Buffer => randomBytes(BYTES);

/** A key for one purpose says nothing about the secret, or about the keys for other purposes. */
export const keyFor = (secret: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), `mailroll ${purpose}`, BYTES));
