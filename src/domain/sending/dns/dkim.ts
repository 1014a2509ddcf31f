/** DKIM: whether the DNS has the public key that belongs to our private key. */
import { type DnsAnswer, type DnsRecord, type Finding, findingsAbout, hasFailed } from "./finding.ts";
import { parseTags } from "./tags.ts";

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
