/** The check of a sender: its DNS records, looked up concurrently and judged by the rules of the domain. */
import { judgeDkim } from "#domain/sending/dns/dkim.ts";
import { judgeDmarc } from "#domain/sending/dns/dmarc.ts";
import type { Finding } from "#domain/sending/dns/finding.ts";
import { judgeMx } from "#domain/sending/dns/mx.ts";
import { judgeSpf } from "#domain/sending/dns/spf.ts";
import { wantedDkim, wantedMx, wantedSpf } from "#domain/sending/dns/wanted.ts";
import { domainOf, withParents } from "#domain/sending/domains.ts";
import type { Sender, SenderSecrets } from "#domain/sending/sender.ts";
import { type DnsLookup, withDns } from "./dns-lookup.ts";

/** Receivers look no further either. */
const MAX_LEVELS = 8;

export const checkDns = (
  sender: Sender & SenderSecrets,
  relays: readonly string[],
  nameServers: readonly string[] | null,
): Promise<readonly Finding[]> =>
  withDns(nameServers, async (lookup) =>
    (
      await Promise.all([
        spf(lookup, sender, relays),
        dkim(lookup, sender),
        dmarc(lookup, sender),
        mx(lookup, sender),
      ])
    ).filter((finding) => finding !== null),
  );

async function spf({ texts }: DnsLookup, sender: Sender, relays: readonly string[]): Promise<Finding> {
  const wanted = wantedSpf(sender, relays);
  return judgeSpf(wanted, await texts(wanted.name));
}

async function dkim({ texts }: DnsLookup, sender: Sender & SenderSecrets): Promise<Finding> {
  const wanted = wantedDkim(sender);
  if (wanted !== null) return judgeDkim(wanted, await texts(wanted.name));
  const where = domainOf(sender.fromAddress);
  const nothing = { subject: "dkim", where, found: [], record: null } as const;
  return sender.signing === "relay"
    ? {
        ...nothing,
        state: "ok",
        text: "The relay signs the messages. Its provider says which DNS records that needs.",
      }
    : {
        ...nothing,
        state: "wrong",
        text: "Nobody signs the messages, so no campaign is sent. Have Mailroll or the relay sign them.",
      };
}

async function dmarc({ texts }: DnsLookup, sender: Sender): Promise<Finding> {
  const domains = withParents(domainOf(sender.fromAddress));
  // The name itself, and the nearest of the top.
  const levels =
    domains.length <= MAX_LEVELS ? domains : [...domains.slice(0, 1), ...domains.slice(1 - MAX_LEVELS)];
  return judgeDmarc(
    sender,
    await Promise.all(levels.map(async (domain) => ({ domain, texts: await texts(`_dmarc.${domain}`) }))),
  );
}

async function mx({ mailServers }: DnsLookup, sender: Sender): Promise<Finding | null> {
  const wanted = wantedMx(sender);
  return wanted === null ? null : judgeMx(wanted, await mailServers(wanted.name));
}
