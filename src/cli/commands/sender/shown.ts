/** A sender as text: its values, the DNS records that it needs, and what a check found. */
import type { CheckedSender, ShownSender } from "#admin/senders/senders.ts";
import type { DnsRecord, Finding, FindingState } from "#domain/sending/dns/finding.ts";
import { relayText } from "#domain/sending/relay.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { formatNumber } from "../../kit/terminal/numbers.ts";
import { oneLine } from "../../kit/terminal/terminal-text.ts";

export const mailbox = ({ fromName, fromAddress }: Sender): string =>
  fromName === "" ? fromAddress : `${fromName} <${fromAddress}>`;

const signedBy = ({ signing, dkimDomain, dkimSelector }: Sender): string => {
  if (signing === "relay") return "the relay";
  return signing === "none"
    ? "nobody; campaigns are not sent"
    : `Mailroll, as ${dkimDomain} with the selector ${dkimSelector}`;
};

function limitsText({ perSecond, perDomainMinute, perDay }: Sender): string {
  const parts = [
    perSecond === null ? null : `${formatNumber(perSecond)} per second`,
    perDomainMinute === null ? null : `${formatNumber(perDomainMinute)} per minute and domain`,
    perDay === null ? null : `${formatNumber(perDay)} per day`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "none" : parts.join(", ");
}

export const recordText = ({ type, name, value }: DnsRecord): string => `  ${type}  ${name}\n       ${value}`;

export function senderText({ sender, records }: ShownSender): string {
  const { id, replyTo, postalAddress, bounceDomain, relays } = sender;
  return [
    `Sender ${id}: ${mailbox(sender)}`,
    `Replies:        ${replyTo ?? "to the From address"}`,
    `Postal address: ${postalAddress.replaceAll("\n", ", ")}`,
    `Relays:         ${relays.length === 0 ? "the relay of the installation" : relays.map(relayText).join(", ")}`,
    `Bounces:        ${bounceDomain === null ? "to the From address" : `to ${bounceDomain}`}`,
    `Signed by:      ${signedBy(sender)}`,
    `Limits:         ${limitsText(sender)}`,
    "",
    "DNS records that it needs:",
    ...records.map(recordText),
    "",
    `Check them with: mailroll sender check ${id}`,
  ].join("\n");
}

const words: Readonly<Record<FindingState, string>> = {
  ok: "ok",
  note: "note",
  missing: "MISSING",
  wrong: "WRONG",
  unknown: "UNKNOWN",
};

function findingText({ subject, state, text, found, record }: Finding): string {
  const title = `${words[state].padEnd(8)}${subject.toUpperCase()}`;
  return [
    // What is in the DNS, or what a relay says, must not look like a finding.
    `${title}: ${oneLine(text)}`,
    ...(state === "ok" ? [] : found.map((one) => `  found: ${oneLine(one)}`)),
    ...(record === null ? [] : [recordText(record)]),
  ].join("\n");
}

export const checkText = ({ sender, findings }: CheckedSender): string =>
  [`Sender ${sender.id}: ${mailbox(sender)}`, ...findings.map(findingText)].join("\n");
