/**
 * DKIM signatures (RFC 6376): RSA-SHA256, relaxed/relaxed. It works on whole messages in memory. The headers
 * to sign are listed here: RFC 8058 requires List-Unsubscribe and List-Unsubscribe-Post among them.
 */
import { hash, type KeyObject, sign } from "node:crypto";

export interface DkimSigner {
  readonly domain: string;
  readonly selector: string;
  readonly key: KeyObject;
  /** Headers that are not signed, because a relay replaces them. */
  readonly leavesOut: readonly string[];
}

export const signedHeaders = [
  "From",
  "To",
  "Subject",
  "Date",
  "Message-ID",
  "Reply-To",
  "MIME-Version",
  "Content-Type",
  "Content-Transfer-Encoding",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "List-Id",
  "Feedback-ID",
] as const;
/**
 * Named once more than they occur, so that another one cannot be added to a signed message. Without Date:
 * some relays replace it.
 */
const oversigned = [
  ...["From", "To", "Cc", "Subject", "Reply-To", "Content-Type"],
  ...["List-Unsubscribe", "List-Unsubscribe-Post"],
];

const CR = 13;
const LF = 10;
const SPACE = 32;
const TAB = 9;

/** Whether the body has nothing to change: usual for what `PartEncoder` makes. */
const isCanonical = (body: Buffer): boolean => {
  // Strings are searched quicker than buffers.
  const text = body.toString("latin1");
  return (
    text.length > 2 &&
    text.endsWith("\r\n") &&
    !text.endsWith("\r\n\r\n") &&
    !text.includes("\t") &&
    !text.includes("  ") &&
    !text.includes(" \r\n")
  );
};

/** Blanks reduced to one space, none at the ends of lines, no empty lines at the end. */
function canonicalBody(body: Buffer): Buffer {
  if (isCanonical(body)) return body;
  const target = Buffer.allocUnsafe(body.length + 2);
  let length = 0;
  let contentEnd = 0;
  let hasBlank = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] as number;
    if (byte === SPACE || byte === TAB) hasBlank = true;
    else if (byte === CR && body[index + 1] === LF) {
      index += 1;
      target[length++] = CR;
      target[length++] = LF;
      hasBlank = false;
    } else {
      if (hasBlank) target[length++] = SPACE;
      hasBlank = false;
      target[length++] = byte;
      contentEnd = length;
    }
  }
  if (contentEnd === 0) return target.subarray(0, 0);
  target[contentEnd] = CR;
  target[contentEnd + 1] = LF;
  return target.subarray(0, contentEnd + 2);
}

const canonicalHeader = (line: string): string => {
  const colon = line.indexOf(":");
  const value = line.slice(colon + 1).replaceAll(/[ \t\r\n]+/g, " ");
  return `${line.slice(0, colon).trim().toLowerCase()}:${value.trim()}`;
};

const foldDigits = (digits: string): string => digits.replaceAll(/.{1,72}/g, "\r\n $&");

/** The DKIM-Signature header up to its signature, and what is to be signed. */
interface Unsigned {
  readonly field: string;
  readonly data: string;
}
function unsignedField(signer: DkimSigner, headers: readonly string[], body: Buffer): Unsigned {
  const byName = new Map(headers.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line]));
  const present = signedHeaders.filter(
    (name) => byName.has(name.toLowerCase()) && !signer.leavesOut.includes(name),
  );
  const names = [...present, ...oversigned].map((name) => name.toLowerCase());
  const bodyHash = hash("sha256", canonicalBody(body), "base64");
  const field = [
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${signer.domain};`,
    ` s=${signer.selector}; bh=${bodyHash};`,
    ` h=${foldNames(names)};`,
    " b=",
  ].join("\r\n");
  const data = [
    ...present.map((name) => canonicalHeader(byName.get(name.toLowerCase()) ?? "")),
    canonicalHeader(field),
  ].join("\r\n");
  return { field, data };
}
const signedField = (field: string, signature: string): string => `${field}${foldDigits(signature)}\r\n`;

/** Makes the signature of a text, in base64. */
export type Sign = (data: string, key: KeyObject) => Promise<string>;
export const signNow = (data: string, key: KeyObject): string =>
  sign("sha256", Buffer.from(data), key).toString("base64");

/** The DKIM-Signature header, with CRLF. `headers`: each header once, with its folds and CRLF. */
export function dkimSignature(signer: DkimSigner, headers: readonly string[], body: Buffer): string {
  const { field, data } = unsignedField(signer, headers, body);
  return signedField(field, signNow(data, signer.key));
}

/** The same, signed by another thread. */
export async function dkimSignatureBy(
  signElsewhere: Sign,
  signer: DkimSigner,
  headers: readonly string[],
  body: Buffer,
): Promise<string> {
  const { field, data } = unsignedField(signer, headers, body);
  return signedField(field, await signElsewhere(data, signer.key));
}

/** Constant for the same headers, so made once for each set of them. */
const foldedNames = new Map<string, string>();
function foldNames(names: readonly string[]): string {
  const key = names.join(":");
  const known = foldedNames.get(key);
  if (known !== undefined) return known;
  let line = " h=";
  let text = "";
  for (const [index, name] of names.entries()) {
    const piece = index === 0 ? name : `:${name}`;
    if (line.length + piece.length > 74) {
      text += "\r\n  ";
      line = "  ";
    }
    text += piece;
    line += piece;
  }
  foldedNames.set(key, text);
  return text;
}
