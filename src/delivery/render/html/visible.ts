/**
 * Reads what a reader of a message sees: its text, links and images, apart from hidden elements. It closes
 * elements as browsers do, so that an end tag which they ignore does not end a hidden element.
 */
import { hidingOf } from "./hiding.ts";
import { attributesAt, scanHtml, voidElements } from "./scan.ts";

export interface VisibleVisitor {
  text(from: number, to: number): void;
  link?(from: number, to: number): void;
  linkEnd?(): void;
  /** One that can be seen: it is larger than a pixel, or has an alternative text. */
  image?(): void;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const unseen = words(
  "head title style script template noscript textarea select svg object iframe video audio canvas dialog math " +
    "datalist progress meter applet noembed noframes xmp option",
);
/** Elements that an end tag of another element does not close, unless it is one around them. */
const blocks = words(
  "address article aside blockquote body button center details dialog dir div dl dd dt fieldset figcaption " +
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup html li main menu nav ol p pre section summary table " +
    "tbody td tfoot th thead tr ul caption colgroup marquee object template select",
);
const tableParts = words("table tbody td tfoot th thead tr caption colgroup html body");
const boundaries = words("table td th caption html template object marquee");
/** They end an open paragraph. */
const endsParagraph = words(
  "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre section summary table ul",
);
/** They end an open element of the same or of this name, up to the next list or table. */
const endsSame: ReadonlyMap<string, string> = new Map([
  ...([
    ["li", "li"],
    ["tr", "tr"],
    ["dt", "dd"],
    ["dd", "dt"],
    ["td", "th"],
    ["th", "td"],
  ] as const),
  ...([
    ["tbody", "thead"],
    ["thead", "tbody"],
    ["tfoot", "tbody"],
  ] as const),
]);
const listOrTable = words("table ul ol dl menu");

/** Where the search for an open element ends. Each element knows the innermost one: none is ever searched. */
const ends = { block: blocks, boundary: boundaries, list: listOrTable };

interface Open extends Readonly<Record<keyof typeof ends, number>> {
  readonly name: string;
  /** The element of the same name around it; -1: none. */
  readonly outer: number;
  readonly isHidden: boolean;
  readonly hasTinyText: boolean;
  /** Its summary is seen. */
  readonly isClosedDetails: boolean;
}
const root: Open = {
  ...{ name: "", outer: -1, block: -1, boundary: -1, list: -1 },
  ...{ isHidden: false, hasTinyText: false, isClosedDetails: false },
};

const hasAlt = (html: string, from: number): boolean =>
  (attributesAt(html, from)
    .find(({ name }) => name === "alt")
    ?.value.trim() ?? "") !== "";

export function scanVisible(html: string, visitor: VisibleVisitor): void {
  const open: Open[] = [];
  /** The innermost open element of a name. */
  const last = new Map<string, number>();
  const lastOf = (name: string): number => last.get(name) ?? -1;
  const closeAt = (index: number): void => {
    if (index === -1) return;
    while (open.length > index) {
      const { name, outer } = open.pop() ?? root;
      last.set(name, outer);
    }
  };
  /** The innermost of these elements that is open; -1 if one that ends the search comes first. */
  const innermost = (wanted: string, orElse: string, end: keyof typeof ends | null): number => {
    const index = Math.max(lastOf(wanted), lastOf(orElse));
    return end === null || index >= (open.at(-1) ?? root)[end] ? index : -1;
  };

  scanHtml(html, {
    start: (name, from, to) => {
      if (endsParagraph.has(name)) closeAt(innermost("p", "p", "boundary"));
      const other = endsSame.get(name);
      if (other !== undefined) closeAt(innermost(name, other, "list"));
      const parent = open.at(-1) ?? root;
      const isSeenSummary = name === "summary" && parent.isClosedDetails;
      const around = isSeenSummary ? (open.at(-2) ?? root) : parent;
      const hiding = hidingOf(html, from, to);
      const isHidden = around.isHidden || around.isClosedDetails || hiding.isHidden || unseen.has(name);
      const hasTinyText = hiding.hasTinyText ?? around.hasTinyText;
      if (!isHidden && name === "a") visitor.link?.(from, to);
      else if (!isHidden && name === "img" && (!hiding.isTiny || hasAlt(html, from))) visitor.image?.();
      if (voidElements.has(name)) return;
      const isClosedDetails =
        name === "details" && !attributesAt(html, from).some((attribute) => attribute.name === "open");
      const index = open.length;
      const innermostEnd = (end: keyof typeof ends): number => (ends[end].has(name) ? index : parent[end]);
      open.push({
        name,
        isHidden,
        hasTinyText,
        isClosedDetails,
        outer: lastOf(name),
        block: innermostEnd("block"),
        boundary: innermostEnd("boundary"),
        list: innermostEnd("list"),
      });
      last.set(name, index);
    },
    end: (name) => {
      if (name === "a") visitor.linkEnd?.();
      if (open.at(-1)?.name === name) return closeAt(open.length - 1);
      closeAt(innermost(name, name, tableParts.has(name) ? null : blocks.has(name) ? "boundary" : "block"));
    },
    text: (from, to, within) => {
      const { isHidden, hasTinyText, isClosedDetails } = open.at(-1) ?? root;
      if (within === "" && !isHidden && !hasTinyText && !isClosedDetails) visitor.text(from, to);
    },
  });
}
