/** The DNS records that a sender needs. */
import { domainOf, isAligned, isWithin } from "./domains.ts";
import type { DnsRecord, Finding, FindingState } from "./finding.ts";
import { takeBounces } from "./providers.ts";
import { isPrivateAddress, parseRelayUrl } from "./relay.ts";
import { publicKeyOf, type Sender, type SenderSecrets } from "./sender.ts";

/** `values` is empty if there is no such record. `failure`: the DNS could not say, and why. */
export type DnsAnswer<Value> = { readonly values: readonly Value[] } | { readonly failure: string };

export const hasFailed = <Value>(
  answer: DnsAnswer<Value>,
): answer is Extract<DnsAnswer<Value>, { readonly failure: string }> => "failure" in answer;

const MAX_SHOWN = 300;
const cut = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

const findingsAbout = (wanted: DnsRecord) => {
  const finding = (state: FindingState, text: string, found: readonly string[] = []): Finding => ({
    subject: wanted.subject,
    state,
    where: wanted.name,
    text,
    found: found.slice(0, 5).map(cut),
    record: state === "missing" || state === "wrong" ? wanted : null,
  });
  return {
    finding,
    unknown: ({ failure }: { readonly failure: string }): Finding =>
      finding("unknown", `The DNS did not answer for ${wanted.name}: ${failure}. Repeat the check later.`),
  };
};

// Lists of tags, as DKIM and DMARC records have them: "v=DKIM1; k=rsa; p=…".

/** null: it is no such list. Values have no white space around them. Names are in lower case. */
function parseTags(text: string): ReadonlyMap<string, string> | null {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    if (at < 0) return null;
    const name = part.slice(0, at).trim().toLowerCase();
    if (name === "" || tags.has(name)) return null;
    tags.set(name, part.slice(at + 1).trim());
  }
  return tags;
}

/** MX: whether the domain for bounces can receive them. */
export interface MailServer {
  readonly exchange: string;
  readonly priority: number;
}

export function judgeMx(wanted: DnsRecord, servers: DnsAnswer<MailServer>): Finding {
  const { finding, unknown } = findingsAbout(wanted);
  if (hasFailed(servers)) return unknown(servers);
  const found = servers.values.map(
    ({ exchange, priority }) => `${priority} ${exchange === "" ? "." : exchange}`,
  );
  if (found.length === 0)
    return finding(
      "missing",
      `${wanted.name} has no mail server, so bounces are lost. Add an MX record with the name of the server that shall receive them.`,
    );
  // "0 ." says that the domain receives no mail (RFC 7505).
  if (servers.values.every(({ exchange }) => exchange === "" || exchange === "."))
    return finding(
      "wrong",
      `${wanted.name} declares that it receives no mail. Name a mail server instead.`,
      found,
    );
  return finding("ok", `Bounces to ${wanted.name} have a mail server.`, found);
}

/**
 * SPF: whether the domain of the envelope sender says which servers may send for it. Whether the relay is
 * among them is not computed: it may send from other addresses than it is reached at.
 */
const isSpf = (text: string): boolean => /^v=spf1(?:\s|$)/i.test(text);
/** Without "+", which is the default qualifier, and without modifiers other than redirect. */
const termsOf = (record: string): readonly string[] =>
  record
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .slice(1)
    .map((term) => term.replace(/^\+/, ""));
const namesServers = (term: string): boolean =>
  /^(?:redirect=.|[?~-]?(?:a|mx|ip4|ip6|include|exists|ptr)(?:[:/]|$))/.test(term);

export function judgeSpf(wanted: DnsRecord, texts: DnsAnswer<string>): Finding {
  const { finding, unknown } = findingsAbout(wanted);
  if (hasFailed(texts)) return unknown(texts);
  const records = texts.values.filter(isSpf);
  const [record] = records;
  if (record === undefined)
    return finding(
      "missing",
      `${wanted.name} has no SPF record. Add one that names the servers of your relay; its provider may give another value.`,
    );
  if (records.length > 1)
    return finding(
      "wrong",
      `${wanted.name} has ${records.length} SPF records, so receivers use none. Merge them into one.`,
      records,
    );
  const terms = termsOf(record);
  if (terms.includes("all"))
    return finding(
      "wrong",
      `The SPF record of ${wanted.name} lets everybody send for it. End it with ~all or -all.`,
      records,
    );
  if (!terms.some(namesServers))
    return finding(
      "wrong",
      `The SPF record of ${wanted.name} names no server. Add those of your relay.`,
      records,
    );
  return finding("ok", `${wanted.name} has an SPF record. Make sure that it names your relay.`, records);
}

// DKIM: whether the DNS has the public key that belongs to our private key.

/** Words that are separated by colons; true if the tag is absent. */
const allows = (tag: string | undefined, ...words: readonly string[]): boolean =>
  tag === undefined || tag.split(":").some((word) => words.includes(word.trim().toLowerCase()));

/** What keeps a record from verifying our signatures; null: nothing. */
function problemOf(record: string, publicKey: string): string | null {
  const tags = parseTags(record);
  if (tags === null) return "is not a list of tags such as v=DKIM1; k=rsa; p=…";
  const key = tags.get("p")?.replaceAll(/\s/g, "");
  if ((tags.get("v") ?? "DKIM1") !== "DKIM1") return "does not begin with v=DKIM1";
  if (key === undefined) return "has no key";
  if (key === "") return "has an empty key, which revokes it";
  if (!allows(tags.get("k"), "rsa")) return "is for another kind of key than RSA";
  if (!allows(tags.get("h"), "sha256")) return "does not allow SHA-256";
  if (!allows(tags.get("s"), "*", "email")) return "is not for e-mail";
  return key === publicKey ? null : "has another key";
}

export function judgeDkim(wanted: DnsRecord, texts: DnsAnswer<string>): Finding {
  const { finding, unknown } = findingsAbout(wanted);
  if (hasFailed(texts)) return unknown(texts);
  const records = texts.values;
  const [record] = records;
  if (record === undefined)
    return finding(
      "missing",
      `There is no DKIM record at ${wanted.name}. Add it: receivers cannot verify the signature without it.`,
    );
  if (records.length > 1)
    return finding(
      "wrong",
      `There are ${records.length} records at ${wanted.name}. Keep only this one.`,
      records,
    );
  const publicKey = parseTags(wanted.value)?.get("p") ?? "";
  const problem = problemOf(record, publicKey);
  return problem === null
    ? finding("ok", `The key at ${wanted.name} is that of this sender.`, records)
    : finding("wrong", `The record at ${wanted.name} ${problem}. Replace it.`, records);
}

/**
 * DMARC: whether the domain of the From address has a policy, its own or that of a domain above it, and
 * whether messages of the sender fulfil it. For that, the domain of the signature or that of the envelope
 * must be aligned with the From address.
 */
const isDmarc = (text: string): boolean => /^v=DMARC1\s*(?:;|$)/.test(text);
const policies = ["none", "quarantine", "reject"];

/** The answers for the From domain and the domains above it, in this order. */
type DmarcAnswers = readonly { readonly domain: string; readonly texts: DnsAnswer<string> }[];

export function judgeDmarc(sender: Sender, answers: DmarcAnswers): Finding {
  const { finding, unknown } = findingsAbout(wantedDmarc(sender));
  const from = domainOf(sender.fromAddress);
  const policiesAt: { readonly domain: string; readonly records: readonly string[] }[] = [];
  for (const { domain, texts } of answers) {
    if (hasFailed(texts)) {
      // The policy of the nearest domain counts: what is above an answer that is missing says nothing.
      if (policiesAt.length === 0) return unknown(texts);
      continue;
    }
    const records = texts.values.filter(isDmarc);
    if (records.length > 0) policiesAt.push({ domain, records });
  }
  const [nearest] = policiesAt;
  if (nearest === undefined)
    return finding(
      "missing",
      `Neither ${from} nor a domain above it has a DMARC record. Large receivers demand one of senders of bulk mail.`,
    );
  const { domain, records } = nearest;
  const where = `The DMARC record at _dmarc.${domain}`;
  if (records.length > 1)
    return finding("wrong", `_dmarc.${domain} has ${records.length} DMARC records. Keep one.`, records);
  const tags = parseTags(records[0] ?? "");
  if (tags === null) return finding("wrong", `${where} is not a list of tags.`, records);
  const policy = (domain === from ? undefined : tags.get("sp")) ?? tags.get("p");
  if (policy === undefined || !policies.includes(policy.toLowerCase()))
    return finding("wrong", `${where} has no policy: none, quarantine or reject.`, records);
  const organisation = policiesAt.at(-1)?.domain ?? domain;
  const problem = alignmentProblem(sender, tags, organisation);
  if (problem !== null) return { ...finding("wrong", `${where} ${problem}`, records), record: null };
  const ofParent = domain === from ? "" : `, which also counts for ${from}`;
  return finding("ok", `The policy of ${domain} is ${policy.toLowerCase()}${ofParent}.`, records);
}

/** `organisation`: the highest domain with a policy. null: messages fulfil the policy. */
function alignmentProblem(
  sender: Sender,
  tags: ReadonlyMap<string, string>,
  organisation: string,
): string | null {
  // The provider of the relay knows with which domain it signs.
  if (sender.signing === "relay") return null;
  const from = domainOf(sender.fromAddress);
  const aligns = (domain: string, isStrict: boolean): boolean =>
    isStrict
      ? domain === from
      : isAligned(domain, from) || (isWithin(domain, organisation) && isWithin(from, organisation));
  const isStrict = (tag: string): boolean => tags.get(tag)?.toLowerCase() === "s";
  const { dkimDomain } = sender;
  if (dkimDomain !== null && aligns(dkimDomain, isStrict("adkim"))) return null;
  if (aligns(envelopeDomain(sender), isStrict("aspf"))) return null;
  return dkimDomain === null
    ? "is not fulfilled: nobody signs the messages. Have Mailroll or the relay sign them."
    : `demands that the signature is of ${from} itself (adkim=s), but the DKIM domain is ${dkimDomain}. Change either.`;
}

/** The domain that bounces go to, and whose SPF record counts. */
const envelopeDomain = ({ bounceDomain, fromAddress }: Sender): string =>
  bounceDomain ?? domainOf(fromAddress);

const mechanismOf = (host: string): string => {
  if (host.includes(":")) return `ip6:${host}`;
  return /^[\d.]+$/.test(host) ? `ip4:${host}` : `a:${host}`;
};
/** What is inside the network sends from another address, which is not known here. */
const isPublic = (host: string): boolean => /[.:]/.test(host) && !isPrivateAddress(host);
/** `relays` as they are used, with the relays of the installation. */
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

const wantedDmarc = ({ fromAddress }: Sender): DnsRecord => ({
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
  [
    takeBounces(relays) ? null : wantedSpf(sender, relays),
    wantedDkim(sender),
    wantedDmarc(sender),
    wantedMx(sender),
  ].filter((record) => record !== null);
