/** What `{{…}}` stands for in a case, and in which versions of SOAP the case runs. */
import { createHash } from "node:crypto";
import { KEY, NOW } from "../fixture.ts";
import { envelopeOf, prefixOf, type Version } from "./soap.ts";

/** A title says at its end in which version a case runs: in both of them "in SOAP 1.1 and 1.2". */
export function runsOf(title: string): readonly { readonly title: string; readonly version: Version }[] {
  const [, start, both, only] = /^(.*? in SOAP )(?:(1\.1 and 1\.2)|(1\.2))$/.exec(title) ?? [];
  if (both !== undefined)
    return (["1.1", "1.2"] as const).map((version) => ({ title: `${start}${version}`, version }));
  return [{ title, version: only === undefined ? "1.1" : "1.2" }];
}

/** Leaves room for a prefix in the 64 characters of a local part. */
const MAX_CHARACTERS = 60;

/** An address that no other case uses: the title, cut where the local part of an address has no more room. */
export function addressOf(title: string): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  if (words.length <= MAX_CHARACTERS) return `${words}@wire.example`;
  const digest = createHash("sha256").update(title).digest("hex").slice(0, 8);
  return `${words.slice(0, MAX_CHARACTERS - digest.length - 1)}-${digest}@wire.example`;
}

export const valuesOf = (title: string, version: Version): Readonly<Record<string, string>> => ({
  address: addressOf(title),
  ADDRESS: addressOf(title).toUpperCase(),
  key: KEY,
  version,
  soap: prefixOf(version),
  envelope: envelopeOf(version),
  now: String(NOW),
});
