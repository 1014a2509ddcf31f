/**
 * Finds where the Liquid of an HTML template stands, so that each merge field is escaped for its context, and
 * refuses contexts where no escaping helps: scripts, names of tags and attributes, values without quotes.
 *
 * Tags such as `{% if %}` may stand in text or in a quoted value, and all tags of a block in the same one. So
 * every branch begins and ends in the same context, and reading the template once, with all branches in turn,
 * finds the contexts that each person's message has.
 */
import type { EscapeContext } from "../escape.ts";
import type { Protected } from "../placeholders.ts";
import { type Attribute, attributesAt, scanHtml } from "./scan.ts";
import { findUrlContexts } from "./url-contexts.ts";

/** Liquid where it is not allowed. */
interface BadContext {
  /** The number of the piece of Liquid; null: not about Liquid. */
  readonly piece: number | null;
  readonly position: number;
  readonly message: string;
}
interface HtmlContexts {
  readonly contextAt: (position: number) => EscapeContext;
  readonly contextOfPiece: (piece: number) => EscapeContext;
  readonly bad: readonly BadContext[];
}

const linkAttributes = new Set(
  "href src background action formaction cite poster srcset longdesc data xlink:href usemap ping lowsrc dynsrc".split(
    " ",
  ),
);
/** They contain several URLs. */
const listAttributes = new Set(["srcset", "ping"]);
/** Elements whose attributes can be anything, such as the target of a redirection. */
const fixedElements = new Set("meta base animate set animatetransform animatemotion".split(" "));
const NOT_IN_NAMES = "A merge field cannot be the name of a tag or of an attribute. Write the name itself.";
/** More are not read, and finding their lines takes time. */
const MAX_REPORTED = 100;
const SPACES = "Put a space before and after Liquid in a comment.";

/** A piece of Liquid in the text. */
interface Found {
  readonly piece: number;
  readonly position: number;
  readonly end: number;
}
/** All pieces in the same `region` are in one text or in one value. */
interface Spot extends Found {
  readonly region: string;
  readonly context: EscapeContext;
}

export function findHtmlContexts({ text: html, pattern, pieces }: Protected): HtmlContexts {
  const spots = new Map<number, Spot>();
  const bad = new Map<number, BadContext>();
  const report = (position: number, piece: number | null, message: string): void => {
    if (!bad.has(position)) bad.set(position, { piece, position, message });
  };
  const piecesIn = (from: number, to: number): readonly Found[] =>
    [...html.slice(from, to).matchAll(new RegExp(pattern, "g"))].map((match) => {
      const position = from + match.index;
      return { piece: Number(match[1]), position, end: position + match[0].length };
    });
  const put = (from: number, to: number, region: string, context: EscapeContext): void => {
    for (const found of piecesIn(from, to)) spots.set(found.position, { ...found, region, context });
  };
  /** `message` is about merge fields. */
  const refuse = (from: number, to: number, message: string): void => {
    for (const { piece, position } of piecesIn(from, to)) {
      const { isOutput = true, tag = "" } = pieces[piece] ?? {};
      const aboutTag = `{% ${tag} %} cannot stand here. Put the condition inside the quotes of the attribute, or around the whole element.`;
      report(position, piece, isOutput ? message : aboutTag);
    }
  };

  const link = (name: string, from: number, value: string): void => {
    const found = piecesIn(from, from + value.length);
    const region = `value ${from}`;
    for (const piece of found) spots.set(piece.position, { ...piece, region, context: "part of a link" });
    const problem = findUrlContexts(
      value,
      found.map(({ piece, position, end }) => {
        const { isOutput = true, tag = "" } = pieces[piece] ?? {};
        return { from: position - from, to: end - from, isOutput, tag };
      }),
      listAttributes.has(name),
      (piece, context) => {
        const spot = spots.get(from + piece.from);
        if (spot !== undefined) spots.set(spot.position, { ...spot, context });
      },
    );
    if (problem === null) return;
    // The Liquid that it is about, or is after.
    const piece = found.findLast(({ position }) => position <= from + problem.position) ?? found[0];
    report(piece?.position ?? from, piece?.piece ?? null, problem.message);
  };

  const attribute = (element: string, { name, value, isQuoted }: Attribute, from: number): void => {
    const end = from + value.length;
    const region = `value ${from}`;
    if (linkAttributes.has(name) && (isQuoted || piecesIn(from, end).length === 0)) link(name, from, value);
    if (name.startsWith("on")) refuse(from, end, `Mail programs remove the attribute "${name}". Remove it.`);
    else if (!isQuoted) refuse(from, end, `Put the value of the attribute "${name}" in quotes.`);
    else if (name === "srcdoc" || fixedElements.has(element))
      refuse(from, end, `A merge field cannot be in "${name}" of <${element}>. Write the value itself.`);
    else if (name === "style") put(from, end, region, "style");
    else if (!linkAttributes.has(name)) put(from, end, region, "attribute");
  };

  const comment = (from: number, to: number): void => {
    const found = piecesIn(from, to);
    const content = html.slice(from, to);
    if (/^<!\[CDATA\[/i.test(content)) report(from, null, "HTML has no CDATA sections. Remove it.");
    if (!content.startsWith("<!--"))
      refuse(from, to, "A merge field cannot be in a declaration such as <!…>. Remove it.");
    // It could end the comment, or be what keeps it from ending.
    for (const { piece, position, end } of found)
      if (/[-!]/.test(html[position - 1] ?? "") || /[-!>]/.test(html[end] ?? ""))
        report(position, piece, SPACES);
    put(from, to, `comment ${from}`, "attribute");
    // Outlook reads what is in <!--[if mso]>.
    const condition = /^<!--\[if[^\]]*\]>/i.exec(content)?.[0];
    if (condition !== undefined && found.length > 0)
      scan(from + condition.length, to - "-->".length, `comment ${from}`);
  };

  function scan(start: number, end: number, region: string): void {
    const part = html.slice(start, end);
    scanHtml(part, {
      text: (from, to, within) => {
        if (within === "") return put(start + from, start + to, region, "text");
        put(
          start + from,
          start + to,
          `${within} ${start + from}`,
          within === "style" ? "style" : "attribute",
        );
        // Liquid could complete the end tag.
        if (new RegExp(`</|<${pattern}`).test(part.slice(from, to)))
          refuse(start + from, start + to, `Remove "<" from <${within}>, or the merge field.`);
      },
      comment: (from, to) => comment(start + from, start + to),
      start: (name, from, to) => {
        if (name === "script") report(start + from, null, "Mail programs remove scripts. Remove the script.");
        const attributes = attributesAt(part, from);
        // What is in no value remains refused.
        const inValues = new Set<number>();
        for (const given of attributes) {
          const valueFrom = start + given.valueFrom;
          for (const { position } of piecesIn(valueFrom, valueFrom + given.value.length))
            inValues.add(position);
          attribute(name, given, valueFrom);
        }
        for (const { position, end: after } of piecesIn(start + from, start + to))
          if (!inValues.has(position)) refuse(position, after, NOT_IN_NAMES);
      },
      end: (_, from, to) =>
        refuse(start + from, start + to, "A merge field cannot be in an end tag. Remove it."),
    });
  }
  scan(0, html.length, "text");
  // A tag that was refused is in no region.
  if (bad.size === 0) checkBlocks([...spots.values()], pieces, report);
  const contextsOfPieces = new Map([...spots.values()].map(({ piece, context }) => [piece, context]));
  return {
    contextOfPiece: (piece) => contextsOfPieces.get(piece) ?? "plain",
    contextAt: (position) => spots.get(position)?.context ?? "attribute",
    bad: [...bad.values()].sort((a, b) => a.position - b.position).slice(0, MAX_REPORTED),
  };
}

/** All tags of a block must be in the same region; `break` in that of its loop. */
function checkBlocks(
  spots: readonly Spot[],
  pieces: Protected["pieces"],
  report: (position: number, piece: number, message: string) => void,
): void {
  const open: { readonly tag: string; readonly region: string }[] = [];
  for (const { piece, position, region } of spots.toSorted((a, b) => a.position - b.position)) {
    const tag = pieces[piece]?.tag ?? "";
    if (/^(?:if|unless|case|for)$/.test(tag)) open.push({ tag, region });
    else if (tag === "break" || tag === "continue") {
      const loop = open.findLast((block) => block.tag === "for");
      if (loop === undefined) report(position, piece, `{% ${tag} %} must be inside of {% for %}. Remove it.`);
      else if (loop.region !== region)
        report(position, piece, `{% ${tag} %} cannot be in an attribute if {% for %} is outside of it.`);
    } else if (/^(?:elsif|else|when|end.+)$/.test(tag)) {
      const block = tag.startsWith("end") ? open.pop() : open.at(-1);
      if (block !== undefined && block.region !== region)
        report(
          position,
          piece,
          `{% ${tag} %} is in another place than its {% ${block.tag} %}. Put the condition inside the quotes of one attribute, or around whole elements.`,
        );
    }
  }
}
