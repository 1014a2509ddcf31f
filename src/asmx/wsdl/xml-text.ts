/**
 * Readable XML text: elements with escaped attributes, and indentation.
 *
 * Content is passed as XML; the caller escapes text. Indenting takes the output of our own writers, in which
 * no attribute contains a bare ">" and no element has mixed content. Not used in the hot path.
 */
import { escapeAttribute } from "#soap/reply/escape.ts";

export const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...content: readonly string[]
): string {
  const start = Object.entries(attributes).reduce(
    (text, [key, value]) => `${text} ${key}="${escapeAttribute(value)}"`,
    name,
  );
  const inner = content.join("");
  return inner === "" ? `<${start} />` : `<${start}>${inner}</${name}>`;
}

/**
 * One element per line, two spaces per level; an element with only text stays on one line, its text
 * unchanged.
 */
export function indentXml(xml: string): string {
  let out = "";
  let depth = 0;
  let before: "start" | "text" | "other" = "other";
  for (const token of xml.match(/<[^<>]*>|[^<]+/g) ?? []) {
    if (!token.startsWith("<")) {
      out += token;
      before = "text";
      continue;
    }
    const isEnd = token.startsWith("</");
    const isStart = !isEnd && !token.startsWith("<?") && !token.endsWith("/>");
    if (isEnd) depth -= 1;
    const staysOnLine = out === "" || before === "text" || (isEnd && before === "start");
    out += staysOnLine ? token : `\n${"  ".repeat(depth)}${token}`;
    if (isStart) depth += 1;
    before = isStart ? "start" : "other";
  }
  return out;
}
