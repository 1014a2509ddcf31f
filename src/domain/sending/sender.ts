/** Senders: who campaigns are from, through which relays they go, and how they are signed. */
import type { Id } from "../id.ts";
import { type Relay, shownRelays } from "./relay.ts";

export type { Relay };

export type SenderId = Id<"SenderId">;

/** Who adds the DKIM signature. `none`: nobody yet; a campaign of such a sender is not sent. */
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
