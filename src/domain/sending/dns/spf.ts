/**
 * SPF: whether the domain of the envelope sender says which servers may send for it. Whether the relay is
 * among them is not computed: it may send from other addresses than it is reached at.
 */
import { type DnsAnswer, type DnsRecord, type Finding, findingsAbout, hasFailed } from "./finding.ts";

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
