/** Lists of tags, as DKIM and DMARC records have them: "v=DKIM1; k=rsa; p=…". */

/** null: it is no such list. Values have no white space around them. Names are in lower case. */
export function parseTags(text: string): ReadonlyMap<string, string> | null {
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
