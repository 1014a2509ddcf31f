/** The values of a sender, with secrets that a test can look for. */
import type { SenderValues } from "#domain/ports/sending/senders.ts";

export const PASSWORD = "relay-PASSWORD-1";
export const PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----\nPRIVATE-KEY-1\n-----END PRIVATE KEY-----\n";

export const senderValues: SenderValues = {
  fromAddress: "news@example.org",
  fromName: "Shop",
  replyTo: null,
  postalAddress: "1 Main Street\nLondon",
  bounceDomain: "bounces.example.org",
  signing: "mailroll",
  dkimDomain: "example.org",
  dkimSelector: "mailroll",
  dkimKey: PRIVATE_KEY,
  // Never connected to: a relay must not be inside the network of the installation.
  relays: [
    { url: `smtp://shop:${PASSWORD}@127.0.0.1:587`, weight: 3 },
    { url: "smtps://127.0.0.1", weight: 1 },
  ],
  perSecond: null,
  perDomainMinute: 60,
  perDay: 50_000,
};
