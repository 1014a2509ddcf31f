/**
 * DMARC: whether the domain of the From address has a policy, its own or that of a domain above it, and
 * whether messages of the sender fulfil it. For that, the domain of the signature or that of the envelope
 * must be aligned with the From address.
 */
import { domainOf, isAligned, isWithin } from "../domains.ts";
import type { Sender } from "../sender.ts";
import { type DnsAnswer, type Finding, findingsAbout, hasFailed } from "./finding.ts";
import { parseTags } from "./tags.ts";
import { envelopeDomain, wantedDmarc } from "./wanted.ts";

const isDmarc = (text: string): boolean => /^v=DMARC1\s*(?:;|$)/.test(text);
const policies = ["none", "quarantine", "reject"];

/** The answers for the From domain and the domains above it, in this order. */
export type DmarcAnswers = readonly { readonly domain: string; readonly texts: DnsAnswer<string> }[];

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
