/** The DNS records that a sender needs. */
import { publicKeyOf } from "../dkim-key.ts";
import { domainOf } from "../domains.ts";
import { isInnerAddress, parseRelayUrl } from "../relay-address.ts";
import type { Sender, SenderSecrets } from "../sender.ts";
import type { DnsRecord } from "./finding.ts";

/** The domain that bounces go to, and whose SPF record counts. */
export const envelopeDomain = ({ bounceDomain, fromAddress }: Sender): string =>
  bounceDomain ?? domainOf(fromAddress);

const mechanismOf = (host: string): string => {
  if (host.includes(":")) return `ip6:${host}`;
  return /^[\d.]+$/.test(host) ? `ip4:${host}` : `a:${host}`;
};
/** What is inside the network sends from another address, which is not known here. */
const isPublic = (host: string): boolean => /[.:]/.test(host) && !isInnerAddress(host);
/** `relays` as they are used, those of the installation included. */
function hostsOf(relays: readonly string[]): readonly string[] {
  const addresses = relays.map((url) => parseRelayUrl(url));
  return addresses.flatMap((address) =>
    "kind" in address && address.kind === "smtp" && isPublic(address.host) ? [address.host] : [],
  );
}

/** A suggestion: the provider of a relay knows better what its servers need. */
export function wantedSpf(sender: Sender, relays: readonly string[]): DnsRecord {
  const hosts = [...new Set(hostsOf(relays))];
  const mechanisms = hosts.length === 0 ? ["mx"] : hosts.map(mechanismOf);
  return {
    subject: "spf",
    type: "TXT",
    name: envelopeDomain(sender),
    value: `v=spf1 ${mechanisms.join(" ")} ~all`,
  };
}

/** null: Mailroll does not sign for this sender. */
export function wantedDkim({
  signing,
  dkimDomain,
  dkimSelector,
  dkimKey,
}: Pick<Sender & SenderSecrets, "signing" | "dkimDomain" | "dkimSelector" | "dkimKey">): DnsRecord | null {
  if (signing !== "mailroll" || dkimDomain === null || dkimSelector === null || dkimKey === null) return null;
  return {
    subject: "dkim",
    type: "TXT",
    name: `${dkimSelector}._domainkey.${dkimDomain}`,
    value: `v=DKIM1; k=rsa; p=${publicKeyOf(dkimKey)}`,
  };
}

export const wantedDmarc = ({ fromAddress }: Sender): DnsRecord => ({
  subject: "dmarc",
  type: "TXT",
  name: `_dmarc.${domainOf(fromAddress)}`,
  value: "v=DMARC1; p=none",
});

/** null: bounces go to the From address. */
export const wantedMx = ({ bounceDomain }: Sender): DnsRecord | null =>
  bounceDomain === null
    ? null
    : { subject: "mx", type: "MX", name: bounceDomain, value: `10 mail.${bounceDomain}` };

/** All of them. */
export const wantedRecords = (
  sender: Sender & SenderSecrets,
  relays: readonly string[],
): readonly DnsRecord[] =>
  [wantedSpf(sender, relays), wantedDkim(sender), wantedDmarc(sender), wantedMx(sender)].filter(
    (record) => record !== null,
  );
