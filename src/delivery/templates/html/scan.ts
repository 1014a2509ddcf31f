/**
 * Reads HTML as a browser does, token by token: text, comments, start tags with their attributes, end tags.
 * It builds no tree and changes nothing, so that a template stays what its author wrote. It is quick enough
 * to check each message.
 */

export interface Attribute {
  /** Lower case. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Without the quotes. */
  readonly value: string;
  readonly valueFrom: number;
  readonly isQuoted: boolean;
}

/** All positions are within the HTML that was given. `to` is the position after the token. */
interface HtmlVisitor {
  /** `within`: the element whose content is not parsed (style, script, title, textarea); otherwise "". */
  text?(from: number, to: number, within: string): void;
  comment?(from: number, to: number): void;
  start?(name: string, from: number, to: number): void;
  end?(name: string, from: number, to: number): void;
}

/** Elements whose content is text up to their end tag. */
const RAW = new Set(["style", "script", "title", "textarea", "xmp", "iframe", "noembed", "noframes"]);
/** Elements without an end tag. */
export const voidElements: ReadonlySet<string> = new Set([
  ..."area base br col embed hr img input link meta param source track wbr".split(" "),
]);

const BLANK = /[\s/]/;

function endOfName(html: string, from: number): number {
  let at = from;
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code <= 32 || code === 47 || code === 62) break;
  }
  return at;
}

/** The end of a start tag. Collects the attributes if a list is given. */
function readAttributes(html: string, from: number, found: Attribute[] | null): number {
  let position = from;
  while (position < html.length) {
    while (BLANK.test(html[position] ?? "")) position += 1;
    if (position >= html.length) return html.length;
    if (html[position] === ">") return position + 1;
    const nameFrom = position;
    // A name may start with =, as browsers see it.
    position += 1;
    while (position < html.length && !/[\s/>=]/.test(html[position] ?? "")) position += 1;
    const nameTo = position;
    let next = position;
    while (/\s/.test(html[next] ?? "")) next += 1;
    let valueFrom = nameTo;
    let valueTo = nameTo;
    let isQuoted = false;
    if (html[next] === "=") {
      next += 1;
      while (/\s/.test(html[next] ?? "")) next += 1;
      const quote = html[next];
      if (quote === '"' || quote === "'") {
        isQuoted = true;
        valueFrom = next + 1;
        const close = html.indexOf(quote, valueFrom);
        valueTo = close === -1 ? html.length : close;
        position = close === -1 ? html.length : close + 1;
      } else {
        valueFrom = next;
        while (next < html.length && !/[\s>]/.test(html[next] ?? "")) next += 1;
        valueTo = next;
        position = next;
      }
    }
    found?.push({
      name: html.slice(nameFrom, nameTo).toLowerCase(),
      from: nameFrom,
      to: position,
      value: html.slice(valueFrom, valueTo),
      valueFrom,
      isQuoted,
    });
  }
  return html.length;
}

/** Most tags have no > in an attribute, and are read without looking at the attributes. */
function endOfTag(html: string, afterName: number): number {
  const close = html.indexOf(">", afterName);
  if (close === -1) return html.length;
  let quotes = 0;
  for (let at = afterName; at < close; at += 1) {
    const code = html.charCodeAt(at);
    if (code === 39) return readAttributes(html, afterName, null);
    if (code !== 34) continue;
    if (quotes % 2 === 0 && html[at - 1] !== "=") return readAttributes(html, afterName, null);
    quotes += 1;
  }
  // Every quote opens or closes a value, in pairs: no > is inside of a value.
  if (quotes % 2 === 0) return close + 1;
  return readAttributes(html, afterName, null);
}

/** The attributes of the start tag at this position. */
export function attributesAt(html: string, from: number): readonly Attribute[] {
  const found: Attribute[] = [];
  readAttributes(html, endOfName(html, from + 1), found);
  return found;
}

function endOfComment(html: string, from: number): number {
  if (html.startsWith("<!-->", from)) return from + 5;
  if (html.startsWith("<!--->", from)) return from + 6;
  const end = /--!?>/g;
  end.lastIndex = from + 4;
  return end.exec(html) === null ? html.length : end.lastIndex;
}

function rawEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

export function scanHtml(html: string, visitor: HtmlVisitor): void {
  let textFrom = 0;
  let position = html.indexOf("<");
  const flush = (to: number): void => {
    if (to > textFrom) visitor.text?.(textFrom, to, "");
  };
  while (position !== -1) {
    const next = html.charCodeAt(position + 1);
    let to = position;
    if (isLetter(next)) {
      flush(position);
      const nameTo = endOfName(html, position + 1);
      const name = html.slice(position + 1, nameTo).toLowerCase();
      to = endOfTag(html, nameTo);
      visitor.start?.(name, position, to);
      if (RAW.has(name)) {
        const end = rawEnd(html, name, to);
        if (end > to) visitor.text?.(to, end, name);
        to = end;
      }
    } else if (next === 47 && isLetter(html.charCodeAt(position + 2))) {
      flush(position);
      const nameTo = endOfName(html, position + 2);
      to = endOfTag(html, nameTo);
      visitor.end?.(html.slice(position + 2, nameTo).toLowerCase(), position, to);
    } else if (next === 33 || next === 47 || next === 63) {
      flush(position);
      const close = html.indexOf(">", position);
      to = html.startsWith("<!--", position)
        ? endOfComment(html, position)
        : close === -1
          ? html.length
          : close + 1;
      visitor.comment?.(position, to);
    }
    if (to > position) textFrom = to;
    position = html.indexOf("<", Math.max(to, position + 1));
  }
  flush(html.length);
}

const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", shy: "\u00ad" },
  ...{ Tab: "\t", NewLine: "\n", colon: ":", semi: ";", sol: "/", bsol: "\\", quest: "?", num: "#" },
  ...{ commat: "@", period: ".", comma: ",", excl: "!", lpar: "(", rpar: ")", percnt: "%", ast: "*" },
  ...{ zwnj: "\u200c", zwj: "\u200d", lrm: "\u200e", rlm: "\u200f", NoBreak: "\u2060" },
  ...{ ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009", hairsp: "\u200a", ZeroWidthSpace: "\u200b" },
};
const ENTITY = /&(?:#x([\da-f]{1,7});?|#(\d{1,8});?|(\w{2,20});)/gi;

function character(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

/** Resolves the entities that matter to what a browser makes of a link or a style. */
export const resolveEntities = (text: string): string =>
  text.includes("&")
    ? text.replaceAll(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
        if (hex !== undefined) return character(Number.parseInt(hex, 16));
        if (decimal !== undefined) return character(Number(decimal));
        return name !== undefined && Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
      })
    : text;
