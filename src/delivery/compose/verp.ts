/**
 * Bounce addresses (VERP): an envelope sender of its own for each message, so that a bounce names campaign
 * and subscriber whatever it quotes. Lower case only, because some servers change the case; signed, so that
 * nobody can invent bounces. Receiving them is not its business.
 */
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { CampaignId } from "#domain/campaign.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";

/** What a bounce address names. */
export interface BounceToken {
  readonly campaign: CampaignId;
  readonly subscriber: SubscriberId;
}

/** A KeyObject is quicker. */
export type Secret = Uint8Array | KeyObject;

const RADIX = 36;
const SIGNATURE_BYTES = 10;
const TOKEN = /^b-([1-9a-z][0-9a-z]{0,10})-([1-9a-z][0-9a-z]{0,10})-([0-9a-f]{20})$/;

const signatureOf = (secret: Secret, named: string): string =>
  createHmac("sha256", secret)
    .update(`bounce ${named}`)
    .digest("hex")
    .slice(0, SIGNATURE_BYTES * 2);

/** The part before the @, at most 45 characters: b-<campaign>-<subscriber>-<signature>. */
export function makeBounceToken(secret: Secret, { campaign, subscriber }: BounceToken): string {
  const named = `${campaign.toString(RADIX)}-${subscriber.toString(RADIX)}`;
  return `b-${named}-${signatureOf(secret, named)}`;
}

/** null: not one of ours. Takes the part before the @ or a whole address, in any case. */
export function readBounceToken(secret: Secret, address: string): BounceToken | null {
  const [local = ""] = address.split("@", 1);
  const [, campaign = "", subscriber = "", signature = ""] = TOKEN.exec(local.toLowerCase()) ?? [];
  if (signature === "") return null;
  const expected = signatureOf(secret, `${campaign}-${subscriber}`);
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null;
  return { campaign: Number.parseInt(campaign, RADIX), subscriber: Number.parseInt(subscriber, RADIX) };
}
