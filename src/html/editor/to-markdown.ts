/**
 * What was copied in Word, Google Docs or a browser, as Markdown: headings, bold, italic, links, pictures,
 * lists, quotes and tables. Scripts, styles, forms and addresses of other schemes are left out. It reads
 * nodes of a document that was parsed and is never shown, so that nothing in it is loaded or executed; which
 * parser made them is not known here.
 */

/** What is read of a node of the DOM. */
export interface MarkupNode {
  readonly nodeType: number;
  /** Of an element of HTML, in capitals. */
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly childNodes: ArrayLike<MarkupNode>;
  readonly getAttribute?: (name: string) => string | null;
}

const ELEMENT = 1;
const TEXT = 3;

const dropped = new Set([
  ...["SCRIPT", "STYLE", "HEAD", "TITLE", "META", "LINK", "BASE", "NOSCRIPT", "TEMPLATE", "IFRAME", "FRAME"],
  ...["OBJECT", "EMBED", "APPLET", "SVG", "MATH", "CANVAS", "VIDEO", "AUDIO", "MAP", "XML"],
  ...["INPUT", "BUTTON", "SELECT", "TEXTAREA", "DIALOG"],
]);
const blocks = new Set([
  ...[
    "P",
    "DIV",
    "SECTION",
    "ARTICLE",
    "MAIN",
    "HEADER",
    "FOOTER",
    "ASIDE",
    "NAV",
    "ADDRESS",
    "CENTER",
    "FORM",
  ],
  ...["FIGURE", "FIGCAPTION", "DETAILS", "SUMMARY", "DL", "DT", "DD", "FIELDSET", "BODY", "HTML", "LI"],
  ...["CAPTION", "TR", "TD", "TH"],
]);
/** Lists and quotes in one another, and columns; deeper ones lose their marks, but not their text. */
const MAX_DEPTH = 8;
const MAX_COLUMNS = 20;

// Addresses.

/** Liquid, whose text is not to be changed. */
const LIQUID = /\{\{[^{}\n]*\}\}|\{%[^%\n]*%\}/g;
const unsafe = /[\s()<>\\]/g;
const encoded = (character: string): string =>
  `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;

/** Changes what is not Liquid. */
function outsideOfLiquid(text: string, change: (part: string) => string): string {
  let changed = "";
  let at = 0;
  for (const { 0: tag, index } of text.matchAll(LIQUID)) {
    changed += change(text.slice(at, index)) + tag;
    at = index + tag.length;
  }
  return changed + change(text.slice(at));
}

/** An address as it is written in `[…](…)`; null: it is none that a message may have. */
export function markdownUrl(
  given: string,
  schemes: RegExp = /^(?:https?:\/\/|mailto:|tel:)/i,
): string | null {
  const url = given.trim();
  if (!schemes.test(url) && !/^\{[{%]/.test(url)) return null;
  return outsideOfLiquid(url, (part) => part.replace(unsafe, encoded));
}
const pictureUrl = (given: string): string | null => markdownUrl(given, /^https?:\/\//i);

// Text.

/** A text that means itself in Markdown. Inside of words, an underscore has no meaning. */
export const escapeText = (text: string): string =>
  outsideOfLiquid(text, (part) =>
    part
      .replace(/[\\`*[\]<]|~~|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w{1,32};)/g, "\\$&")
      .replace(/^(#{1,6}|[-+>]|={3,}|-{3,})(\s|$)/, "\\$1$2")
      .replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2"),
  );

interface Format {
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isCode: boolean;
  readonly href: string | null;
}
const plain: Format = { isBold: false, isItalic: false, isCode: false, href: null };

/** A piece of a paragraph in one format. */
interface Run extends Format {
  readonly text: string;
  /** It is Markdown already: a picture. */
  readonly isMarkdown: boolean;
}

/** Spaces around what is marked are outside of the marks: `** a**` is not bold. */
function marked(text: string, open: string, close = open): string {
  const inner = text.trim();
  if (inner === "") return text === "" ? "" : " ";
  const start = text.slice(0, text.length - text.trimStart().length);
  return `${start}${open}${inner}${close}${text.slice(text.trimEnd().length)}`;
}

/** Runs next to one another that have the same mark are marked together. */
function together<Mark>(
  runs: readonly Run[],
  markOf: (run: Run) => Mark,
  write: (group: readonly Run[], mark: Mark) => string,
): string {
  const groups: { readonly mark: Mark; readonly runs: Run[] }[] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last !== undefined && last.mark === markOf(run)) last.runs.push(run);
    else groups.push({ mark: markOf(run), runs: [run] });
  }
  return groups.map((group) => write(group.runs, group.mark)).join("");
}

const textOf = ({ text, isCode, isMarkdown }: Run): string =>
  isMarkdown ? text : isCode && !text.includes("`") ? marked(text, "`") : escapeText(text);

const inline = (runs: readonly Run[]): string =>
  together(
    runs,
    ({ href }) => href,
    (linked, href) => {
      const text = together(
        linked,
        ({ isBold }) => isBold,
        (bold, isBold) => {
          const inner = together(
            bold,
            ({ isItalic }) => isItalic,
            (italic, isItalic) =>
              isItalic ? marked(italic.map(textOf).join(""), "*") : italic.map(textOf).join(""),
          );
          return isBold ? marked(inner, "**") : inner;
        },
      );
      return href === null ? text : marked(text, "[", `](${href})`);
    },
  );

/** Lines break where the text has a line break; spaces at their ends, and empty lines, are nothing. */
const paragraphOf = (runs: readonly Run[]): string =>
  inline(runs)
    .split("\n")
    .map((line) => line.trim().replace(/ {2,}/g, " "))
    .filter((line) => line !== "")
    .join("\\\n");

// Elements.

const isElement = (node: MarkupNode): boolean => node.nodeType === ELEMENT;
const attribute = (node: MarkupNode, name: string): string => node.getAttribute?.(name) ?? "";
const childrenOf = (node: MarkupNode): readonly MarkupNode[] => Array.from(node.childNodes);
const elementsIn = (node: MarkupNode): readonly MarkupNode[] => childrenOf(node).filter(isElement);
const tagOf = ({ nodeName }: MarkupNode): string => nodeName.toUpperCase();

/**
 * The content security policy of a page applies to documents that it only parses, too: a browser reports each
 * style and handler in them. So these get other names before. What is missed is only reported.
 */
export const withoutStyles = (markup: string): string =>
  markup
    .replace(/<(\/?)style\b/gi, "<$1template")
    .replace(/<[a-z][^<>]*>/gi, (tag) =>
      tag.replace(/([\s"'/])(style|on[a-z]{1,30})(?=\s{0,9}=)/gi, "$1data-$2"),
    );

/** One declaration of its style attribute, such as what Word adds with `mso-list`. */
function styleOf(node: MarkupNode, property: string): string {
  for (const declaration of (attribute(node, "data-style") || attribute(node, "style")).split(";")) {
    const colon = declaration.indexOf(":");
    if (declaration.slice(0, colon).trim().toLowerCase() === property)
      return declaration
        .slice(colon + 1)
        .trim()
        .toLowerCase();
  }
  return "";
}
const isHidden = (node: MarkupNode): boolean =>
  node.getAttribute?.("hidden") != null ||
  styleOf(node, "display") === "none" ||
  styleOf(node, "mso-hide") === "all" ||
  // The bullet or number of Word before the text of an item.
  styleOf(node, "mso-list") === "ignore";

/** Google Docs wraps everything in a `b` that is not bold, and marks bold text by a style. */
function formatIn(node: MarkupNode, format: Format): Format {
  const tag = tagOf(node);
  const weight = styleOf(node, "font-weight");
  const slant = styleOf(node, "font-style");
  const isTag = (...names: readonly string[]): boolean => names.includes(tag);
  return {
    isBold: weight === "" ? format.isBold || isTag("B", "STRONG") : /^(?:bold|bolder|[6-9]00)$/.test(weight),
    isItalic: slant === "" ? format.isItalic || isTag("I", "EM", "CITE") : /^(?:italic|oblique)/.test(slant),
    isCode: format.isCode || isTag("CODE", "KBD", "SAMP", "TT"),
    href: isTag("A") ? (markdownUrl(attribute(node, "href")) ?? format.href) : format.href,
  };
}

function pictureOf(node: MarkupNode): string | null {
  const src = pictureUrl(attribute(node, "src"));
  const isDot = ["width", "height"].some((name) => /^[01](?:px)?$/.test(attribute(node, name)));
  if (src === null || isDot) return null;
  return `![${escapeText(attribute(node, "alt").replace(/\s+/g, " ").trim())}](${src})`;
}

const preformatted = (node: MarkupNode): string =>
  node.nodeType === TEXT
    ? (node.nodeValue ?? "")
    : tagOf(node) === "BR"
      ? "\n"
      : dropped.has(tagOf(node))
        ? ""
        : childrenOf(node).map(preformatted).join("");

const indented = (text: string, first: string, others: string): string =>
  text
    .split("\n")
    .map((line, index) => (index === 0 ? first + line : line === "" ? "" : others + line))
    .join("\n");

interface Block {
  readonly text: string;
  readonly isList: boolean;
}

/** Writes the blocks of one container: the document, an item of a list, a quote. */
class Writer {
  readonly blocks: Block[] = [];
  readonly #depth: number;
  #runs: Run[] = [];
  #format: Format = plain;
  #heading = 0;
  /** The items of Word that came one after another: they are paragraphs that only look like a list. */
  #items: { readonly level: number; readonly isNumbered: boolean; readonly text: string }[] = [];

  constructor(depth: number) {
    this.#depth = depth;
  }

  /** `isTight`: in an item, a list stands directly under the text before it. */
  text(isTight = false): string {
    this.#endItems();
    return this.blocks
      .map(({ text, isList }, index) => (index === 0 ? "" : isTight && isList ? "\n" : "\n\n") + text)
      .join("");
  }

  write(node: MarkupNode): void {
    if (node.nodeType === TEXT) this.#write(node.nodeValue ?? "");
    else if (isElement(node) && !dropped.has(tagOf(node)) && !isHidden(node)) this.#writeElement(node);
  }
  writeChildren(node: MarkupNode): void {
    for (const child of childrenOf(node)) this.write(child);
  }

  /** What is written from now on is another paragraph. */
  endParagraph(): void {
    const text = paragraphOf(this.#runs);
    this.#runs = [];
    if (text === "") return;
    if (this.#heading === 0) this.#add(text);
    else this.#add(`${"#".repeat(this.#heading)} ${text.replaceAll("\\\n", " ")}`);
  }

  #add(text: string, isList = false): void {
    this.#endItems();
    if (text !== "") this.blocks.push({ text, isList });
  }

  #write(text: string): void {
    const collapsed = text.replace(/[\s\u00a0]+/g, " ");
    const last = this.#runs.at(-1)?.text ?? " ";
    const next = /[ \n]$/.test(last) ? collapsed.trimStart() : collapsed;
    if (next !== "") this.#runs.push({ ...this.#format, text: next, isMarkdown: false });
  }

  #writeElement(node: MarkupNode): void {
    const tag = tagOf(node);
    if (tag === "BR") this.#break();
    else if (tag === "IMG") this.#writePicture(node);
    else if (tag === "HR") this.#block(() => this.#add("---"));
    else if (tag === "PRE") this.#block(() => this.#add(fenced(preformatted(node))));
    else if (tag === "UL" || tag === "OL") this.#block(() => this.#writeList(node, tag === "OL"));
    else if (tag === "BLOCKQUOTE" || /^Mso(?:Intense)?Quote$/.test(attribute(node, "class")))
      this.#block(() => this.#writeQuote(node));
    else if (tag === "TABLE") this.#block(() => this.#writeTable(node));
    else if (/^H[1-6]$/.test(tag)) this.#writeHeading(node, Number(tag.slice(1)));
    else if (attribute(node, "class") === "MsoTitle") this.#writeHeading(node, 1);
    else if (/\blevel\d/.test(styleOf(node, "mso-list"))) this.#writeWordItem(node);
    else if (blocks.has(tag)) this.#block(() => this.#writeInside(node));
    else this.#writeInside(node);
  }

  #block(write: () => void): void {
    this.endParagraph();
    write();
    this.endParagraph();
  }

  #writeInside(node: MarkupNode): void {
    const before = this.#format;
    const format = formatIn(node, before);
    this.#format = this.#heading > 0 ? { ...format, isBold: false } : format;
    this.writeChildren(node);
    this.#format = before;
  }

  /** Two line breaks are the end of a paragraph. */
  #break(): void {
    if (this.#runs.at(-1)?.text === "\n") {
      this.endParagraph();
      return;
    }
    if (this.#runs.length > 0) this.#runs.push({ ...plain, text: "\n", isMarkdown: true });
  }

  #writePicture(node: MarkupNode): void {
    const picture = pictureOf(node);
    if (picture !== null) this.#runs.push({ ...this.#format, text: picture, isMarkdown: true });
  }

  #writeHeading(node: MarkupNode, level: number): void {
    this.endParagraph();
    this.#heading = level;
    this.#writeInside(node);
    this.endParagraph();
    this.#heading = 0;
  }

  #inner(): Writer {
    return new Writer(this.#depth + 1);
  }

  #writeQuote(node: MarkupNode): void {
    if (this.#depth >= MAX_DEPTH) return this.#writeInside(node);
    const inner = this.#inner();
    inner.writeChildren(node);
    inner.endParagraph();
    const text = inner.text();
    if (text !== "")
      this.#add(
        text
          .split("\n")
          .map((line) => `> ${line}`.trimEnd())
          .join("\n"),
      );
  }

  /** Google Docs has a list in a list beside its items, not in one. */
  #writeList(list: MarkupNode, isNumbered: boolean): void {
    if (this.#depth >= MAX_DEPTH) return this.#writeInside(list);
    const first = Number.parseInt(attribute(list, "start"), 10);
    const items: Writer[] = [];
    for (const child of elementsIn(list)) {
      const isList = ["UL", "OL"].includes(tagOf(child));
      const last = items.at(-1);
      const item = isList && last !== undefined ? last : this.#inner();
      if (item !== last) items.push(item);
      if (isList || tagOf(child) !== "LI") item.write(child);
      else item.writeChildren(child);
      item.endParagraph();
    }
    const texts = items.map((item) => item.text(true)).filter((text) => text !== "");
    const from = isNumbered && first >= 0 && first < 1e6 ? first : 1;
    const written = texts.map((text, index) => {
      const mark = isNumbered ? `${from + index}. ` : "- ";
      return indented(text, mark, " ".repeat(mark.length));
    });
    this.#add(written.join("\n"), true);
  }

  /** A paragraph of Word that looks like an item: its style has the level, its hidden mark the number. */
  #writeWordItem(node: MarkupNode): void {
    this.endParagraph();
    const level = Number(/\blevel(\d)/.exec(styleOf(node, "mso-list"))?.[1] ?? 1);
    const inner = this.#inner();
    inner.#writeInside(node);
    inner.endParagraph();
    const text = inner.text(true);
    if (text === "") return;
    const mark = wordMark(node);
    this.#items.push({ level: Math.min(level, MAX_DEPTH), isNumbered: /^\w{1,6}[.)]/.test(mark), text });
  }
  #endItems(): void {
    const items = this.#items;
    if (items.length === 0) return;
    this.#items = [];
    /** How far the text of each level is indented, and which number its last item has. */
    const levels: { indent: number; number: number }[] = [];
    const lines = items.map(({ level, isNumbered, text }) => {
      const depth = Math.min(level - 1, levels.length);
      const indent = depth === 0 ? 0 : (levels[depth - 1]?.indent ?? 0);
      const number = (levels[depth]?.number ?? 0) + 1;
      const mark = isNumbered ? `${number}. ` : "- ";
      levels.length = depth;
      levels.push({ indent: indent + mark.length, number });
      return indented(text, " ".repeat(indent) + mark, " ".repeat(indent + mark.length));
    });
    this.blocks.push({ text: lines.join("\n"), isList: true });
  }

  /** A table of texts; one that only places things on a page is what is in its cells. */
  #writeTable(table: MarkupNode): void {
    const rows = rowsOf(table);
    const columns = Math.max(0, ...rows.map((row) => row.length));
    const cells = rows.map((row) =>
      row.map((cell) => {
        const inner = this.#inner();
        inner.writeChildren(cell);
        inner.endParagraph();
        inner.#endItems();
        return inner.blocks;
      }),
    );
    const isOfTexts = cells.flat().every((found) => found.length <= 1 && found[0]?.isList !== true);
    if (rows.length < 2 || columns < 2 || columns > MAX_COLUMNS || !isOfTexts) {
      for (const block of cells.flat(2)) this.#add(block.text, block.isList);
      return;
    }
    const lineOf = (texts: readonly string[]): string =>
      `| ${Array.from({ length: columns }, (_, index) => texts[index] ?? "").join(" | ")} |`;
    const texts = cells.map((row) =>
      row.map(([block]) => (block?.text ?? "").replace(/\\?\n/g, " ").replaceAll("|", "\\|")),
    );
    const [head = [], ...others] = texts;
    this.#add([lineOf(head), lineOf(Array(columns).fill("---")), ...others.map(lineOf)].join("\n"));
  }
}

/** Those of a table in one of its cells are not its own. */
function rowsOf(table: MarkupNode): readonly (readonly MarkupNode[])[] {
  const rowsIn = (node: MarkupNode): readonly MarkupNode[] =>
    elementsIn(node).flatMap((child) =>
      tagOf(child) === "TR" ? [child] : /^(?:THEAD|TBODY|TFOOT)$/.test(tagOf(child)) ? rowsIn(child) : [],
    );
  return rowsIn(table).map((row) => elementsIn(row).filter((cell) => /^T[DH]$/.test(tagOf(cell))));
}

const fenced = (text: string): string => {
  const inner = text.replace(/^\n+/, "").trimEnd();
  return inner === "" ? "" : inner.includes("```") ? escapeText(inner) : `\`\`\`\n${inner}\n\`\`\``;
};

/** Such as "1." or "·". */
function wordMark(node: MarkupNode): string {
  if (styleOf(node, "mso-list") === "ignore") return preformatted(node).trim();
  for (const child of elementsIn(node)) {
    const mark = wordMark(child);
    if (mark !== "") return mark;
  }
  return "";
}

/** The Markdown of what a document contains; empty if that is nothing. */
export function toMarkdown(body: MarkupNode): string {
  const writer = new Writer(0);
  writer.writeChildren(body);
  writer.endParagraph();
  return writer.text();
}
