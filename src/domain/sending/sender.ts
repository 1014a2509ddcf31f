/** Senders: who campaigns are from, through which relays they go, and how they are signed. */
import { createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Id } from "../id.ts";
import { type Relay, shownRelays } from "./relay.ts";

/** DKIM keys: RSA with 2,048 bits, which every receiver can verify, and which fits into a DNS record. */
const generate = promisify(generateKeyPair);

/** The private key as PEM. Takes up to a second, in a thread. */
export async function newDkimKey(): Promise<string> {
  const { privateKey } = await generate("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return privateKey;
}

/** The public key as the DNS record has it. */
export const publicKeyOf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");

export type { Relay };

export type SenderId = Id<"SenderId">;

/** Who adds the DKIM signature. `none`: not decided yet; a campaign of such a sender is not sent. */
export const signings = ["mailroll", "relay", "none"] as const;
export type Signing = (typeof signings)[number];

/** null: no limit. All of them hold for all nodes together. */
export interface SenderLimits {
  readonly perSecond: number | null;
  /** To one domain of recipients. */
  readonly perDomainMinute: number | null;
  /** Per day in UTC: while a new domain or address warms up. */
  readonly perDay: number | null;
}

/** What everybody who may see a sender sees: no secret. */
export interface Sender extends SenderLimits {
  readonly id: SenderId;
  readonly fromAddress: string;
  readonly fromName: string;
  readonly replyTo: string | null;
  readonly postalAddress: string;
  readonly bounceDomain: string | null;
  readonly signing: Signing;
  readonly dkimDomain: string | null;
  readonly dkimSelector: string | null;
  /** Without passwords. Empty: the relay of the installation. */
  readonly relays: readonly Relay[];
  readonly createdAt: number;
}
/** What users set and change, and thereby its version (`version.ts`). */
export const changeableSender = [
  "fromAddress",
  "fromName",
  "replyTo",
  "postalAddress",
  "bounceDomain",
  "signing",
  "dkimDomain",
  "dkimSelector",
  "relays",
  "perSecond",
  "perDomainMinute",
  "perDay",
] as const;

/** For sending only. */
export interface SenderSecrets {
  /** The private key for DKIM, PEM. */
  readonly dkimKey: string | null;
  /** With passwords. */
  readonly relays: readonly Relay[];
}

export function withoutSecrets(sender: Sender & SenderSecrets): Sender {
  const { dkimKey: _, ...shown } = sender;
  return { ...shown, relays: shownRelays(sender.relays) };
}
