/**
 * The token of an unsubscribe link: account, campaign and subscriber as numbers, signed with a secret of the
 * account (HMAC-SHA256, truncated to 128 bits). It contains neither address nor name, and never expires. It
 * is parsed before it is verified, because the account decides which secret verifies it. Nothing in here
 * knows whether what a token names exists.
 */
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { LinkRecipient } from "#domain/ports/sending/unsubscribe-links.ts";

export const MAX_TOKEN_CHARACTERS = 48;
const SIGNATURE_BYTES = 16;
/**
 * The last byte is the version of the format. In base64url, it also makes every token end in a letter. After
 * a hyphen or an underscore, some mail clients would end the link too early. And both can be recognized as
 * punctuation that was added.
 */
const VERSION = 1;
const MAX_BYTES = (MAX_TOKEN_CHARACTERS / 4) * 3;
/** What else the secret signs has another purpose. */
const PURPOSE = "unsubscribe link\n";

/** A KeyObject is quicker if it is used often. */
type Secret = Uint8Array | KeyObject;

/** A token with the right form; `isGenuine` checks whether Mailroll has made it. */
export interface ParsedToken extends LinkRecipient {
  /** Without what a mail client has added to it. */
  readonly token: string;
  readonly numbers: Uint8Array;
  readonly signature: Uint8Array;
}

export function makeToken(secret: Secret, { account, campaign, subscriber }: LinkRecipient): string {
  const numbers = Uint8Array.from([account, campaign, subscriber].flatMap(bytesOf));
  if (numbers.length + SIGNATURE_BYTES + 1 > MAX_BYTES)
    throw new Error("the ids of account, campaign and subscriber are too large for an unsubscribe link");
  return Buffer.concat([numbers, sign(secret, numbers), Uint8Array.of(VERSION)]).toString("base64url");
}

/** null: not a token. Punctuation that a mail client has taken for a part of the link is ignored. */
export function parseToken(text: string): ParsedToken | null {
  const [, token = ""] = /^([\w-]*[A-Za-z])[^A-Za-z\d]*$/.exec(text.slice(0, 2 * MAX_TOKEN_CHARACTERS)) ?? [];
  const bytes = Buffer.from(token, "base64url");
  // Of several spellings of the same bytes, only the one that is made is accepted.
  if (token.length > MAX_TOKEN_CHARACTERS || bytes.toString("base64url") !== token) return null;
  const end = bytes.length - 1;
  if (end < SIGNATURE_BYTES || bytes[end] !== VERSION) return null;
  const numbers = bytes.subarray(0, end - SIGNATURE_BYTES);
  const [account, campaign, subscriber, ...more] = numbersOf(numbers) ?? [];
  if (account === undefined || campaign === undefined || subscriber === undefined || more.length > 0)
    return null;
  return {
    account,
    campaign,
    subscriber,
    token,
    numbers,
    signature: bytes.subarray(end - SIGNATURE_BYTES, end),
  };
}

export const isGenuine = (secret: Secret, { numbers, signature }: ParsedToken): boolean =>
  timingSafeEqual(sign(secret, numbers), signature);

const sign = (secret: Secret, numbers: Uint8Array): Buffer =>
  createHmac("sha256", secret).update(PURPOSE).update(numbers).digest().subarray(0, SIGNATURE_BYTES);

/** Seven bits in each byte, the lowest first; the high bit is set in all bytes but the last (LEB128). */
function bytesOf(number: number): readonly number[] {
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${number} is not an id`);
  const bytes: number[] = [];
  let rest = number;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

/** null: not the bytes of numbers. */
function numbersOf(bytes: Uint8Array): readonly number[] | null {
  const numbers: number[] = [];
  let [number, factor] = [0, 1];
  for (const byte of bytes) {
    number += (byte % 128) * factor;
    factor *= 128;
    if (!Number.isSafeInteger(number)) return null;
    if (byte >= 128) continue;
    numbers.push(number);
    [number, factor] = [0, 1];
  }
  return factor === 1 ? numbers : null;
}
