/**
 * Whether a request comes from the mail provider that a webhook was made for. Nothing in a request makes this
 * throw. A proof says who has sent the request, not that it is new: the store counts each event once and
 * ignores old ones, so a time is checked here only where that loses no event that a provider sends again.
 */
import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
  verify,
  X509Certificate,
} from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { EventProof } from "#domain/sending/providers.ts";
import { member, parseForeign, text } from "./foreign-json.ts";

export interface WebhookKey {
  readonly proof: EventProof;
  /** Of Amazon SNS: the topic that was confirmed. Another one proves nothing but that it asks. */
  readonly topic?: string | null;
  /**
   * The public key for "ecdsa" and "rsa", the signing key for "mailgun" and "svix", the SHA-256 of our
   * password in hexadecimal, and nothing for "sns".
   */
  readonly key: string;
}
interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The user name for "password". */
export const WEBHOOK_USER = "mailroll";

/** What is wrong with a key, as words that follow the name of an input; null: nothing. */
export function keyProblem(proof: EventProof, key: string): string | null {
  switch (proof) {
    case "sns":
      return key === "" ? null : "is not needed for Amazon SES";
    case "ecdsa":
      return publicKeyOf(key)?.asymmetricKeyDetails?.namedCurve === "prime256v1"
        ? null
        : "must be the public key that SendGrid shows (base64)";
    case "rsa":
      return isRsa(publicKeyOf(key))
        ? null
        : "must be the public key of Postal: the DKIM record that it prints, the part after p=, or PEM";
    case "mailgun":
      return /^[!-~]{16,200}$/.test(key) ? null : "must be the HTTP webhook signing key that Mailgun shows";
    case "svix":
      return svixSecret(key) === null ? "must be the signing secret that Resend shows (whsec_…)" : null;
    case "password":
      return /^[0-9a-f]{64}$/.test(key) ? null : "must be a SHA-256 in hexadecimal";
  }
}

/** PEM, base64, or a record with base64 after `p=`. A private key is refused: it must not be stored. */
function publicKeyOf(key: string): KeyObject | null {
  if (key.length > 10_000) return null;
  try {
    if (key.includes("PRIVATE KEY")) return null;
    if (key.includes("PUBLIC KEY-----")) return createPublicKey(key);
    const record = /(?:^|;)\s*p=([^;]*)/.exec(key)?.[1] ?? key;
    const bytes = base64Of(record.replace(/[\s"]/g, ""));
    return bytes === null ? null : createPublicKey({ key: bytes, format: "der", type: "spki" });
  } catch {
    return null;
  }
}
const isRsa = (key: KeyObject | null): key is KeyObject =>
  key?.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 1024;

const base64Of = (encoded: string): Buffer | null =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, "base64") : null;

function svixSecret(key: string): Buffer | null {
  const secret = key.startsWith("whsec_") ? base64Of(key.slice("whsec_".length)) : null;
  return secret !== null && secret.length >= 16 ? secret : null;
}

const [SECOND_MS, MINUTE_MS, DAY_MS] = [1000, 60_000, 86_400_000];

type Proof = (key: string, request: SignedRequest, now: number) => boolean;

const proofs: Readonly<Record<Exclude<EventProof, "sns">, Proof>> = {
  ecdsa: (key, { headers, body }, now) => {
    const signature = headerOf(headers, "x-twilio-email-event-webhook-signature");
    const timestamp = headerOf(headers, "x-twilio-email-event-webhook-timestamp");
    const publicKey = publicKeyOf(key);
    // SendGrid repeats for 24 hours, and does not document whether it signs each attempt.
    return (
      publicKey !== null &&
      isNear(timestamp, now, { past: 2 * DAY_MS, ahead: DAY_MS }) &&
      isSigned("sha256", Buffer.concat([Buffer.from(timestamp), body]), publicKey, signature)
    );
  },
  rsa: (key, { headers, body }) => {
    const publicKey = publicKeyOf(key);
    if (!isRsa(publicKey)) return false;
    // Postal 3 sends both: who could replace a signature must not be able to choose the weaker one.
    return headers["x-postal-signature-256"] === undefined
      ? isSigned("sha1", body, publicKey, headerOf(headers, "x-postal-signature"))
      : isSigned("sha256", body, publicKey, headerOf(headers, "x-postal-signature-256"));
  },
  mailgun: (key, { body }, now) => {
    const json = parseForeign(body.toString());
    const timestamp = text(json, "signature", "timestamp") ?? "";
    const token = text(json, "signature", "token") ?? "";
    const signature = text(json, "signature", "signature") ?? "";
    // The content is not signed, so nobody must have long to use a signature again for another content.
    return (
      token !== "" &&
      isNear(timestamp, now, { past: DAY_MS, ahead: 10 * MINUTE_MS }) &&
      /^[0-9a-f]{64}$/i.test(signature) &&
      areEqual(hmac(key, timestamp + token), Buffer.from(signature, "hex"))
    );
  },
  svix: (key, { headers, body }, now) => {
    const secret = svixSecret(key);
    const id = headerOf(headers, "svix-id");
    const timestamp = headerOf(headers, "svix-timestamp");
    // Each attempt has its own signature.
    if (
      secret === null ||
      id === "" ||
      !isNear(timestamp, now, { past: 5 * MINUTE_MS, ahead: 5 * MINUTE_MS })
    )
      return false;
    const expected = hmac(secret, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]));
    return headerOf(headers, "svix-signature")
      .split(" ")
      .some((one) => one.startsWith("v1,") && areEqual(expected, base64Of(one.slice("v1,".length))));
  },
  password: (key, { headers }) => {
    const [, scheme = "", credentials = ""] =
      /^(basic|bearer) +([!-~]+)$/i.exec(headerOf(headers, "authorization")) ?? [];
    const given = scheme.toLowerCase() === "bearer" ? credentials : passwordOf(credentials);
    return given !== null && areEqual(Buffer.from(key, "hex"), sha256(given));
  },
};

/**
 * Nothing can be said now: Amazon does not answer. Amazon SNS sends again after such a reply, and not after a
 * refusal.
 */
export class CertificateUnavailable extends Error {}

/** Nothing in the request makes it throw, but it may throw CertificateUnavailable. */
export async function isProved(
  { proof, key, topic }: WebhookKey,
  request: SignedRequest,
  now: number,
  certificates: Certificates,
): Promise<boolean> {
  try {
    return proof === "sns"
      ? await isProvedBySns(request.body, topic ?? null, now, certificates)
      : proofs[proof](key, request, now);
  } catch (error) {
    if (error instanceof CertificateUnavailable) throw error;
    return false;
  }
}

/** A header that occurs twice proves nothing. */
const headerOf = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name];
  return typeof value === "string" ? value : "";
};

function isNear(timestamp: string, now: number, { past, ahead }: { past: number; ahead: number }): boolean {
  const at = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * SECOND_MS : Number.NaN;
  return at >= now - past && at <= now + ahead;
}

const sha256 = (data: string): Buffer => createHash("sha256").update(data).digest();
const hmac = (key: string | Buffer, data: string | Buffer): Buffer =>
  createHmac("sha256", key).update(data).digest();
const areEqual = (expected: Buffer, given: Buffer | null): boolean =>
  given !== null && expected.length === given.length && timingSafeEqual(expected, given);

function isSigned(hash: "sha1" | "sha256", data: Buffer, key: KeyObject, signature: string): boolean {
  const bytes = base64Of(signature);
  return bytes !== null && verify(hash, data, key, bytes);
}

/** Of `mailroll:<password>` in base64. */
function passwordOf(credentials: string): string | null {
  const decoded = base64Of(credentials)?.toString() ?? "";
  return decoded.startsWith(`${WEBHOOK_USER}:`) ? decoded.slice(WEBHOOK_USER.length + 1) : null;
}

/** What a message of each type is signed over, in this order. */
const control = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
const signedFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["Notification", ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]],
  ["SubscriptionConfirmation", control],
  ["UnsubscribeConfirmation", control],
]);
const signatureHashes: ReadonlyMap<unknown, "sha1" | "sha256"> = new Map([
  ["1", "sha1"],
  ["2", "sha256"],
]);

async function isProvedBySns(
  body: Buffer,
  topic: string | null,
  now: number,
  certificates: Certificates,
): Promise<boolean> {
  const message = parseForeign(body.toString());
  // Before a certificate is fetched for it.
  if (member(message, "Type") === "Notification" && member(message, "TopicArn") !== topic) return false;
  const hash = signatureHashes.get(member(message, "SignatureVersion"));
  const url = member(message, "SigningCertURL");
  const signed = signedFields
    .get(member(message, "Type"))
    ?.map((name) => ({ name, value: member(message, name) }))
    .filter(({ name, value }) => name !== "Subject" || (value !== undefined && value !== null));
  if (hash === undefined || typeof url !== "string" || signed === undefined) return false;
  if (signed.some(({ value }) => typeof value !== "string")) return false;
  const data = signed.map(({ name, value }) => `${name}\n${String(value)}\n`).join("");
  const key = await certificates.keyAt(url, now);
  return key !== null && isSigned(hash, Buffer.from(data), key, text(message, "Signature") ?? "");
}

const CERTIFICATE_URL =
  /^https:\/\/sns\.[a-z]{2}-[a-z-]{2,20}-\d{1,2}\.amazonaws\.com(?:\.cn)?\/SimpleNotificationService-[0-9A-Za-z]{1,64}\.pem$/;
const MAX_CERTIFICATE_BYTES = 64 * 1024;
const FETCH_TIMEOUT_MS = 5000;
const MAX_KEPT = 20;
const FAILURE_MS = 10_000;
const MAX_FETCHES_AT_ONCE = 4;
/** Amazon has some dozens of certificates; who makes up addresses must not make us fetch without end. */
const MAX_FETCHES_A_MINUTE = 30;

interface Kept {
  /** null: there is none at the address. */
  readonly certificate: X509Certificate | null | "unavailable";
  readonly until: number;
}

/**
 * The certificates of Amazon SNS. Their addresses prove whose they are: TLS to Amazon is the chain of trust,
 * so no redirect is followed. A certificate is fetched once, also for several requests at the same time.
 */
export class Certificates {
  readonly #fetch: (url: string) => Promise<Buffer>;
  readonly #kept = new Map<string, Kept>();
  readonly #failed = new Map<string, Kept>();
  readonly #pending = new Map<string, Promise<Kept>>();
  #minute = 0;
  #fetchesInMinute = 0;

  constructor(fetch: (url: string) => Promise<Buffer> = fetchCertificate) {
    this.#fetch = fetch;
  }

  /**
   * null: not an address of Amazon, or not a valid certificate. Throws CertificateUnavailable, also while
   * there are too many fetches.
   */
  async keyAt(url: string, now: number): Promise<KeyObject | null> {
    if (!CERTIFICATE_URL.test(url)) return null;
    const kept = [this.#kept.get(url), this.#failed.get(url)].find(
      (one) => one !== undefined && one.until > now,
    );
    const known = this.#kept.get(url)?.certificate;
    const found = kept ?? (await (this.#pending.get(url) ?? this.#start(url, now)));
    // An older one is as good until it can be fetched again.
    const certificate = found.certificate === "unavailable" ? (known ?? "unavailable") : found.certificate;
    if (certificate === "unavailable") throw new CertificateUnavailable();
    return certificate !== null && isValidAt(certificate, now) && isRsa(certificate.publicKey)
      ? certificate.publicKey
      : null;
  }

  async #start(url: string, now: number): Promise<Kept> {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#fetchesInMinute] = [minute, 0];
    if (this.#pending.size >= MAX_FETCHES_AT_ONCE || this.#fetchesInMinute >= MAX_FETCHES_A_MINUTE)
      return { certificate: "unavailable", until: now };
    this.#fetchesInMinute += 1;
    const pending = this.#read(url, now).finally(() => this.#pending.delete(url));
    this.#pending.set(url, pending);
    return await pending;
  }

  async #read(url: string, now: number): Promise<Kept> {
    try {
      const certificate = certificateOf(await this.#fetch(url));
      if (certificate !== null) return keep(this.#kept, url, { certificate, until: now + DAY_MS });
      return keep(this.#failed, url, { certificate, until: now + FAILURE_MS });
    } catch (error) {
      const certificate = error instanceof NotThere ? null : "unavailable";
      return keep(this.#failed, url, { certificate, until: now + FAILURE_MS });
    }
  }
}

function certificateOf(bytes: Buffer): X509Certificate | null {
  try {
    return bytes.length > MAX_CERTIFICATE_BYTES ? null : new X509Certificate(bytes);
  } catch {
    return null;
  }
}

/** Failures are kept apart, so that they replace no certificate. */
function keep(kept: Map<string, Kept>, url: string, one: Kept): Kept {
  kept.delete(url);
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(url, one);
  return one;
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  now >= Date.parse(validFrom) && now <= Date.parse(validTo);

const fetchCertificate = (url: string): Promise<Buffer> => fetchFromAmazon(url, MAX_CERTIFICATE_BYTES);

class NotThere extends Error {}
async function fetchFromAmazon(url: string, maxBytes: number): Promise<Buffer> {
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (response.status >= 400 && response.status < 500) throw new NotThere(`the status is ${response.status}`);
  if (response.status !== 200) throw new Error(`the status is ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new NotThere("the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether an address is one that confirms a subscription at Amazon SNS. */
export const isSubscribeUrl = (url: string): boolean =>
  /^https:\/\/sns\.[a-z]{2}-[a-z-]{2,20}-\d{1,2}\.amazonaws\.com(?:\.cn)?\/\?[!-~]{1,2000}$/.test(url);

/** Opens the address of a confirmation. What was wrong; null: nothing. Never rejects. */
export async function confirmTopic(url: string): Promise<string | null> {
  if (!isSubscribeUrl(url)) return "the address is not one of Amazon SNS";
  try {
    await fetchFromAmazon(url, MAX_CERTIFICATE_BYTES);
    return null;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
