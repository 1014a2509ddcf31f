/**
 * Finds where the merge fields of an HTML template stand, so that each is escaped for its place, and refuses
 * places where no escaping helps: scripts, names of tags and attributes, values without quotes.
 */
import type { Place } from "../escape.ts";
import type { Protected } from "../placeholders.ts";
import { attributesAt, scanHtml } from "./scan.ts";

/** Where a place is not allowed. */
export interface BadPlace {
  /** The number of the piece of Liquid; null: not about Liquid. */
  readonly piece: number | null;
  readonly position: number;
  readonly message: string;
}
export interface HtmlPlaces {
  readonly placeOf: (position: number) => Place;
  readonly bad: readonly BadPlace[];
}

const linkAttributes = new Set(
  "href src background action formaction cite poster srcset longdesc data xlink:href usemap".split(" "),
);

export function htmlPlaces({ text: html, pattern, pieces }: Protected): HtmlPlaces {
  const places = new Map<number, Place>();
  const bad: BadPlace[] = [];
  const each = (from: number, to: number, use: (position: number, piece: number) => void): void => {
    for (const match of html.slice(from, to).matchAll(new RegExp(pattern, "g"))) {
      const piece = Number(match[1]);
      if (pieces[piece]?.isOutput === true) use(from + match.index, piece);
    }
  };
  const put = (from: number, to: number, place: Place): void =>
    each(from, to, (position) => places.set(position, place));
  const refuse = (from: number, to: number, message: string): void =>
    each(from, to, (position, piece) => bad.push({ piece, position, message }));

  const link = (from: number, value: string): void =>
    each(from, from + value.length, (position) => {
      const before = value.slice(0, position - from).trim();
      // After a tag such as {% else %}, it may be the start.
      const isStart = before === "" || new RegExp(pattern).test(before);
      places.set(position, isStart ? "link" : "rest of a link");
    });

  const tag = (from: number, to: number): void => {
    // What is in no value remains refused.
    const inValues = new Set<number>();
    for (const { name, value, valueFrom, isQuoted } of attributesAt(html, from)) {
      const end = valueFrom + value.length;
      each(valueFrom, end, (position) => inValues.add(position));
      if (name.startsWith("on"))
        refuse(valueFrom, end, `Mail programs remove the attribute "${name}". Remove it.`);
      else if (!isQuoted) refuse(valueFrom, end, `Put the value of the attribute "${name}" in quotes.`);
      else if (name === "style") put(valueFrom, end, "style");
      else if (linkAttributes.has(name)) link(valueFrom, value);
      else put(valueFrom, end, "attribute");
    }
    each(from, to, (position, piece) => {
      if (inValues.has(position)) return;
      const message = "A merge field cannot be the name of a tag or of an attribute. Write the name itself.";
      bad.push({ piece, position, message });
    });
  };

  scanHtml(html, {
    text: (from, to, within) =>
      put(from, to, within === "" ? "text" : within === "style" ? "style" : "attribute"),
    comment: (from, to) => put(from, to, "attribute"),
    start: (name, from, to) => {
      if (name === "script")
        bad.push({
          piece: null,
          position: from,
          message: "Mail programs remove scripts. Remove the script.",
        });
      tag(from, to);
    },
    end: (_, from, to) => refuse(from, to, "A merge field cannot be in an end tag. Remove it."),
  });
  return { placeOf: (position) => places.get(position) ?? "attribute", bad };
}
