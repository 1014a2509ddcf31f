/** The W3C XML conformance suite: which documents there are, and what each of them is. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SaxesParser } from "saxes";

const folder = resolve(import.meta.dirname, "../../node_modules/.cache/mailroll-xml-suite/package");

export interface Entry {
  readonly id: string;
  readonly path: string;
  readonly isWellFormed: boolean;
  readonly bytes: Buffer;
  readonly hasDtd: boolean;
}

/** All that the fifth edition of XML 1.0 has something to say about. */
export function catalogue(): Entry[] {
  const entries: Entry[] = [];
  const bases: string[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    if (name === "TESTCASES") bases.push(attributes["xml:base"] ?? "");
    const {
      TYPE: type,
      ID: id,
      URI: uri,
      EDITION: editions = "5",
      RECOMMENDATION: of = "XML1.0",
    } = attributes;
    if (name !== "TEST" || id === undefined || uri === undefined) return;
    // An "error" is one that a parser may report or not.
    if (type === "error" || of.endsWith("1.1") || !editions.split(" ").includes("5")) return;
    const path = join(folder, "xmlconf", ...bases, uri);
    const bytes = readFileSync(path);
    const text = bytes.toString("latin1").replaceAll("\0", "");
    const hasDtd = text.replaceAll(/<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>/gs, "").includes("<!DOCTYPE");
    entries.push({ id, path, isWellFormed: type !== "not-wf", bytes, hasDtd });
  });
  parser.on("closetag", ({ name }) => {
    if (name === "TESTCASES") bases.pop();
  });
  parser.write(readFileSync(join(folder, "cleaned/xmlconf-flattened.xml"), "utf8")).close();
  return entries;
}
