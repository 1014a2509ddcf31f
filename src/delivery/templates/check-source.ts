/**
 * Checks the templates of a part as their author wrote them: their syntax, their tags and filters, and that
 * each merge field exists. Problems name the line and what is probably meant.
 */
import { analyzeSync, LiquidError, type Variable } from "liquidjs";
import { nearest } from "#domain/text.ts";
import type { ContentPart, ContentProblem } from "../messages.ts";
import { filterNames, tagNames } from "./allowed-liquid.ts";
import { authorEngine, MAX_PIECES, MAX_SOURCE_LENGTH } from "./engine.ts";
import { campaignNames, personNames, type ValueName } from "./merge-fields.ts";

export interface CheckedSource {
  readonly problems: readonly ContentProblem[];
  readonly usedNames: ReadonlySet<string>;
  readonly usedFields: readonly string[];
}

/** A part cannot insert itself, or what is made after it. */
const unavailable: Partial<Record<ContentPart, readonly ValueName[]>> = {
  subject: ["subject", "preheader", "unsubscribe_url"],
  preheader: ["preheader", "unsubscribe_url"],
};

const suggestion = (word: string, known: readonly string[], show: (name: string) => string): string => {
  const near = nearest(word, known);
  return near === null ? "" : ` Did you mean ${show(near)}?`;
};
const listed = (names: readonly string[]): string =>
  names.length === 0 ? "none" : names.length > 20 ? `${names.slice(0, 20).join(", ")} …` : names.join(", ");

const isIdentifier = (name: string): boolean => /^[a-z_]\w*$/i.test(name);
const fieldSyntax = (name: string): string =>
  isIdentifier(name) ? `fields.${name}` : name.includes('"') ? `fields['${name}']` : `fields["${name}"]`;

function syntaxMessage(message: string): string {
  const [, filter] = /^undefined filter: (.+)$/.exec(message) ?? [];
  if (filter === "raw")
    return 'There is no filter "raw": values are always escaped. Remove it, and write markup into the template.';
  if (filter !== undefined)
    return `There is no filter "${filter}".${suggestion(filter, filterNames, (name) => `"${name}"`)} Filters: ${filterNames.join(", ")}.`;
  const [, tag] = /^tag "(.+)" not found$/.exec(message) ?? [];
  if (tag === "raw") return 'There is no tag "raw". Remove it; to show braces, write {{ "{{" }}.';
  if (tag !== undefined) {
    const known = tagNames.filter((name) => !name.startsWith("end"));
    return `There is no tag "${tag}".${suggestion(tag, known, (name) => `"${name}"`)} Tags: ${known.join(", ")}.`;
  }
  if (/limit exceeded|call stack/i.test(message))
    return "The template is too large or nested too deeply. Make it simpler.";
  // Our own errors are sentences and say what to do.
  return message.endsWith(".") ? message : `${message}. Correct the template.`;
}

/** Throws what is a defect. */
export function problemOf(part: ContentPart, error: unknown): ContentProblem {
  if (error instanceof TypeError || error instanceof ReferenceError) throw error;
  if (!LiquidError.is(error))
    return {
      part,
      line: null,
      message: syntaxMessage(error instanceof Error ? error.message : String(error)),
    };
  const [line] = error.token.getPosition() as [number, number];
  return { part, line, message: syntaxMessage(error.originalError?.message ?? error.message) };
}

export function checkSource(part: ContentPart, source: string, fields: readonly string[]): CheckedSource {
  const nothing = { usedNames: new Set<string>(), usedFields: [] };
  if (source.length > MAX_SOURCE_LENGTH) {
    const message = `It has ${source.length} characters; at most ${MAX_SOURCE_LENGTH} are allowed. Shorten it.`;
    return { problems: [{ part, line: null, message }], ...nothing };
  }
  const pieces = source.split(/\{[{%]/).length - 1;
  if (pieces > MAX_PIECES) {
    const message = `It has ${pieces} Liquid tags and outputs; at most ${MAX_PIECES} are allowed. Make it simpler.`;
    return { problems: [{ part, line: null, message }], ...nothing };
  }
  let globals: Readonly<Record<string, readonly Variable[]>>;
  try {
    globals = analyzeSync(authorEngine.parse(source), { partials: false }).globals;
  } catch (error) {
    return { problems: [problemOf(part, error)], ...nothing };
  }
  const names: readonly string[] = [...personNames, ...campaignNames].filter(
    (name) => unavailable[part]?.includes(name) !== true,
  );
  const problems: ContentProblem[] = [];
  const usedNames = new Set<string>();
  const usedFields = new Set<string>();
  const report = (line: number, message: string): void => {
    // A line may use the same name several times.
    if (!problems.some((known) => known.line === line && known.message === message))
      problems.push({ part, line, message });
  };
  const check = ({ segments, location: { row } }: Variable): void => {
    const [name, property, ...rest] = segments;
    const deeper = rest.length > 0 && !(rest.length === 1 && rest[0] === "size");
    if (name === "fields") {
      if (typeof property !== "string")
        report(row, 'Write the name of the field in quotes, such as fields["Town"].');
      else if (!fields.includes(property))
        report(
          row,
          `There is no field "${property}".${suggestion(property, fields, fieldSyntax)} Fields: ${listed(fields)}.`,
        );
      else if (deeper)
        report(row, `${fieldSyntax(property)} is a text: it has no parts. Remove what follows it.`);
      else usedFields.add(property);
      return;
    }
    if (typeof name !== "string" || !names.includes(name)) {
      const known = [...names, ...fields.map(fieldSyntax)];
      const field = fields.find((candidate) => candidate === name);
      const hint =
        field === undefined
          ? suggestion(String(name), known, (near) => near)
          : ` Did you mean ${fieldSyntax(field)}?`;
      report(
        row,
        `There is no merge field "${String(name)}".${hint} Merge fields: ${names.join(", ")}, and fields["…"].`,
      );
    } else if (property !== undefined && property !== "size")
      report(row, `${name} is a text: it has no parts. Remove what follows it.`);
    else usedNames.add(name);
  };
  for (const variables of Object.values(globals)) for (const variable of variables) check(variable);
  return { problems, usedNames, usedFields: [...usedFields] };
}
