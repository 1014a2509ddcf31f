/**
 * Parsed templates as they are rendered: text, merge fields and Liquid in turn. Most of a message is text and
 * plain merge fields; they are written without the machinery of Liquid, which costs some microseconds for
 * each output. The result is the same.
 */
import { type Emitter, type Template, TokenKind, toValueSync } from "liquidjs";
import {
  contextOfFilter,
  finalEngine,
  MAX_OUTPUT_LENGTH,
  parseFinal,
  RenderContext,
  RenderTime,
  textOf,
  type Unshown,
} from "./engine.ts";
import { escapeFor } from "./escape.ts";
import { isMergeField, type Scope } from "./merge-fields.ts";

interface MergeField {
  readonly name: string;
  /** Of `fields`. */
  readonly property: string | null;
  readonly fallback: string;
  readonly escape: (value: string) => string;
  /** What to report if it is empty; null: it has a default. */
  readonly field: string | null;
}
/** A template without Liquid is one text. */
export interface CompiledTemplate {
  readonly segments: readonly (string | MergeField | readonly Template[])[];
  /** Whether all persons get the same markup: there are no Liquid tags, and no values in styles. */
  readonly hasFixedMarkup: boolean;
}

const NAME = /(\w+)(?:\.([\w-]+)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\])?/.source;
const DEFAULT = /(?:\|\s*default:\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*)?/.source;
const FILTER = /\|\s*(_\w+)(?::\s*"([^"]*)")?/.source;
const MERGE_FIELD = new RegExp(`^\\{\\{-?\\s*${NAME}\\s*${DEFAULT}${FILTER}\\s*-?\\}\\}$`);
/** Names that mean the same as in Liquid only if nothing is assigned to them. */
const ASSIGNS = /\{%-?\s*assign\b/;

function mergeField(source: string): MergeField | null {
  const [, name, identifier, quoted, other, fallback, otherFallback, filter, field] =
    MERGE_FIELD.exec(source) ?? [];
  const context = filter === undefined ? null : contextOfFilter(filter);
  const property = identifier ?? quoted ?? other ?? null;
  if (name === undefined || context === null || !isMergeField(name, property)) return null;
  return {
    name,
    property,
    fallback: fallback ?? otherFallback ?? "",
    escape: escapeFor[context],
    field: field === undefined ? null : decodeURIComponent(field),
  };
}

export function compileTemplate(source: string): CompiledTemplate {
  const isPlain = !source.includes("{{") && !source.includes("{%");
  if (isPlain) return { segments: [source], hasFixedMarkup: true };
  const mayShadow = ASSIGNS.test(source);
  const segments: (string | MergeField | Template[])[] = [];
  for (const template of parseFinal(source)) {
    const { token } = template;
    const last = segments.at(-1);
    if (token.kind === TokenKind.HTML) {
      // Liquid's type for such a token is not exported. It knows what `{{-` has trimmed.
      const content = (token as unknown as { getContent(): string }).getContent();
      if (typeof last === "string") segments[segments.length - 1] = last + content;
      else segments.push(content);
      continue;
    }
    const field = mayShadow || token.kind !== TokenKind.Output ? null : mergeField(token.getText());
    if (field !== null) segments.push(field);
    else if (Array.isArray(last)) last.push(template);
    else segments.push([template]);
  }
  return { segments, hasFixedMarkup: !source.includes("{%") && !/\| _style\b/.test(source) };
}

/** The texts between tags and merge fields, in order. */
export const fixedTexts = ({ segments }: CompiledTemplate): readonly string[] =>
  segments.filter((segment) => typeof segment === "string");

class BoundedEmitter implements Emitter {
  buffer = "";
  write(text: unknown): void {
    this.buffer += typeof text === "string" ? text : textOf(text);
    if (this.buffer.length > MAX_OUTPUT_LENGTH)
      throw new Error(`the result is longer than ${MAX_OUTPUT_LENGTH / 1000} KB`);
  }
}

/**
 * Adds merge fields that show nothing to `unshown`. The parts of a message share their time. Throws what
 * Liquid throws.
 */
export function renderTemplate(
  { segments }: CompiledTemplate,
  scope: Scope,
  unshown: Unshown,
  time = new RenderTime(),
): string {
  const emitter = new BoundedEmitter();
  let context: RenderContext | null = null;
  for (const segment of segments) {
    if (typeof segment === "string") emitter.write(segment);
    else if ("escape" in segment) {
      const { name, property, fallback, escape: escapeValue, field } = segment;
      const value: unknown = property === null ? scope[name as keyof Scope] : scope.fields[property];
      const text = typeof value === "string" ? value : fallback;
      const escaped = escapeValue(text);
      emitter.write(escaped);
      if (escaped === "" && field !== null) unshown.set(field, text === "" ? "empty" : "refused");
    } else {
      context ??= new RenderContext(scope, unshown, time);
      toValueSync(finalEngine.renderer.renderTemplates(segment as Template[], context, emitter));
    }
  }
  return emitter.buffer;
}
