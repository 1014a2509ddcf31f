/**
 * Cursors for clients. The cursor of a listing contains values of a row, such as an address. A sealed one is
 * encrypted and authenticated (AES-256-GCM), and bound to its listing and account: it shows nothing, and
 * works nowhere else.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { keyFor } from "../access/installation-secret.ts";
import type { AccountId } from "../account.ts";
import { InvalidCursor } from "../ports/errors.ts";
import type { Cursor } from "../ports/listing.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Far more than the longest cursor: an address has at most 254 characters. */
const MAX_LENGTH = 4096;
const BASE64URL = /^[\w-]+$/;

/** Where a cursor is from. */
export interface CursorPlace {
  /** The name of the listing, such as that of its action. */
  readonly listing: string;
  /** null: a listing of the installation. */
  readonly account: AccountId | null;
}

/** Of the secret of the installation; to be made once. */
export const cursorKey = (secret: Uint8Array): Uint8Array => keyFor(secret, "cursors");

const boundTo = ({ listing, account }: CursorPlace): Buffer =>
  Buffer.from(JSON.stringify([listing, account]));

export function sealCursor(key: Uint8Array, place: CursorPlace, cursor: Cursor): Cursor {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(place));
  const parts = [nonce, cipher.update(cursor, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString("base64url");
}

/** Throws InvalidCursor. */
export function openCursor(key: Uint8Array, place: CursorPlace, sealed: Cursor): Cursor {
  const bytes = Buffer.from(sealed, "base64url");
  const isWhole = bytes.length >= NONCE_BYTES + TAG_BYTES && sealed.length <= MAX_LENGTH;
  if (!isWhole || !BASE64URL.test(sealed)) throw invalid();
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(place))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString();
  } catch {
    throw invalid();
  }
}

const invalid = (): InvalidCursor =>
  new InvalidCursor("the cursor is not one of this listing; start again from the first page");
