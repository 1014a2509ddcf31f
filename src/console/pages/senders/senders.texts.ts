import type { CheckedSubject, FindingState } from "#domain/sending/dns/finding.ts";
import type { Signing } from "#domain/sending/sender.ts";

export const title = "Senders";
export const explained =
  "A sender says who a campaign is from, through which mail server it goes, and how it is signed.";
export const newSender = "New sender";
export const from = "From";
export const relays = "Relays";
export const perDay = "Limit per day";
export const created = "Created";
export const installationRelay = "The relay of the installation";
export const none = "None";
export const shown = (count: string): string => (count === "1" ? "1 sender" : `${count} senders`);
export const emptyTitle = "No senders yet";
export const empty = "Create a sender before you send your first campaign.";
export const emptyViewer = "A user with the role owner can create senders.";
export const createFirst = "Create a sender";

export const signedBy = "Signed by";
export const signings: Readonly<Record<Signing, string>> = {
  mailroll: "Mailroll",
  relay: "The relay",
  none: "Nobody",
};
export const subjects: Readonly<Record<CheckedSubject, string>> = {
  spf: "SPF",
  dkim: "DKIM",
  dmarc: "DMARC",
  mx: "MX",
  relay: "Relay",
};
export const states: Readonly<Record<FindingState, string>> = {
  ok: "OK",
  note: "Note",
  missing: "Missing",
  wrong: "Wrong",
  unknown: "No answer",
};
