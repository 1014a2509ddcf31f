/**
 * XML as text for people to read: elements with escaped attributes, and indentation.
 *
 * Content is handed in as XML already; whoever has text escapes it. Indenting takes what our own writers wrote,
 * where no attribute holds a bare ">" and no text stands beside an element. The hot path does not come here.
 */
import { escapeAttribute } from "../soap/escape.ts";

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

/** One element a line, two spaces a level; an element that holds only text stays on its line, with its text as it is. */
export function indentXml(xml: string): string {
  let out = "";
  let depth = 0;
  let before: "start" | "text" | "other" = "other";
  for (const token of xml.match(/<[^>]*>|[^<]+/g) ?? []) {
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
