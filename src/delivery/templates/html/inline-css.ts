/**
 * Inlines the CSS of style elements, once per campaign: many mail programs ignore them. juice computes the
 * styles from a copy; then only the attributes it has set are put into the original, which stays as it is
 * otherwise: Liquid between rows, in attributes or around half an element is not touched. A style element
 * keeps what cannot be inlined, such as media queries; a style that contains Liquid stays whole.
 */
import juice from "juice";
import type { Protected } from "../placeholders.ts";
import { type Attribute, attributesAt, scanHtml } from "./scan.ts";

interface StartTag {
  readonly name: string;
  readonly from: number;
  readonly attributes: readonly Attribute[];
}
interface StyleElement {
  /** The number of its start tag. */
  readonly tag: number;
  readonly from: number;
  readonly to: number;
}

/** What juice sets. */
const inlined = ["style", "width", "height", "bgcolor", "background", "align", "valign"];
/** Every selector is compared with every element. */
const MAX_COMPARISONS = 2_000_000;

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}
function edited(text: string, edits: readonly Edit[]): string {
  let result = "";
  let position = 0;
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(position, edit.from) + edit.text;
    position = edit.to;
  }
  return result + text.slice(position);
}

/** The attributes that juice set, by the number of the start tag; and what is left of style elements. */
function juiced(
  copy: string,
  marker: string,
): { tags: Map<number, Map<string, string>>; css: Map<number, string> } {
  const result = juice(copy, { removeStyleTags: true, preserveImportant: true });
  const tags = new Map<number, Map<string, string>>();
  const css = new Map<number, string>();
  let style: number | null = null;
  scanHtml(result, {
    start: (name, from) => {
      const attributes = new Map(
        attributesAt(result, from).map((attribute) => [attribute.name, attribute.value]),
      );
      const number = attributes.get(marker);
      style = name === "style" && number !== undefined ? Number(number) : null;
      if (number !== undefined) tags.set(Number(number), attributes);
    },
    text: (from, to, within) => {
      if (within === "style" && style !== null) css.set(style, result.slice(from, to));
    },
  });
  return { tags, css };
}

/** Without indentation. */
const compact = (css: string): string => css.replaceAll(/\n\s+/g, "\n").trim();
const quoted = (value: string): string => value.replaceAll('"', "&quot;");

/** Throws if the CSS cannot be read or is too large. */
export function inlineCss({ text: html, pattern }: Pick<Protected, "text" | "pattern">): string {
  const hasLiquid = (text: string): boolean => new RegExp(pattern).test(text);
  const tags: StartTag[] = [];
  const styles: StyleElement[] = [];
  scanHtml(html, {
    start: (name, from) => tags.push({ name, from, attributes: attributesAt(html, from) }),
    text: (from, to, within) => {
      if (within === "style") styles.push({ tag: tags.length - 1, from, to });
    },
  });
  const plain = styles.filter(({ from, to }) => !hasLiquid(html.slice(from, to)));
  if (plain.length === 0) return html;
  const rules = plain.reduce(
    (sum, { from, to }) => sum + (html.slice(from, to).match(/[{,]/g)?.length ?? 0),
    0,
  );
  if (rules * tags.length > MAX_COMPARISONS)
    throw new Error(
      `The CSS has about ${rules} selectors for ${tags.length} elements, too many to inline. Remove rules that are not used.`,
    );
  const marker = `data-${/^[a-z0-9]+/.exec(pattern)?.[0] ?? "n"}`;
  const isOwnStyle = ({ name, value }: Attribute): boolean => name === "style" && hasLiquid(value);
  const copy = edited(html, [
    ...tags.flatMap(({ name, from, attributes }, index) => [
      { from: from + 1 + name.length, to: from + 1 + name.length, text: ` ${marker}="${index}"` },
      ...attributes
        .filter(isOwnStyle)
        .map((attribute) => ({ from: attribute.from, to: attribute.to, text: "" })),
    ]),
    ...styles.filter((style) => !plain.includes(style)).map(({ from, to }) => ({ from, to, text: "" })),
  ]);
  const result = juiced(copy, marker);
  // A class that Liquid chooses is not inlined, so its rules must stay.
  const hasDynamicClass = tags.some(({ attributes }) =>
    attributes.some(
      ({ name, value }) =>
        (name === "class" || name === "id" || hasLiquid(name)) && hasLiquid(`${name} ${value}`),
    ),
  );
  const edits: Edit[] = tags.flatMap(({ name, from, attributes }, index) => {
    const set = result.tags.get(index);
    if (set === undefined || name === "style") return [];
    return inlined.flatMap((attribute): readonly Edit[] => {
      const value = set.get(attribute);
      const own = attributes.find((candidate) => candidate.name === attribute);
      if (value === undefined || value === own?.value) return [];
      if (own === undefined) {
        const after = from + 1 + name.length;
        return [{ from: after, to: after, text: ` ${attribute}="${quoted(value)}"` }];
      }
      const text = isOwnStyle(own) ? `${value} ${own.value}` : value;
      return [{ from: own.from, to: own.to, text: `${attribute}="${quoted(text)}"` }];
    });
  });
  if (!hasDynamicClass)
    edits.push(...plain.map(({ tag, from, to }) => ({ from, to, text: compact(result.css.get(tag) ?? "") })));
  return edited(html, edits).replaceAll(/<style[^<>]*>\s*<\/style>\s*/gi, "");
}
