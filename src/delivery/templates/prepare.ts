/**
 * Prepares the content of a campaign, once: checks the templates, puts Markdown into its layout, inlines the
 * CSS, makes the text from the HTML and parses the results. Then it renders for sample persons and refuses
 * content that lacks what every message must contain. It takes some ten milliseconds.
 */
import MarkdownIt from "markdown-it";
import type { CampaignContent } from "#domain/sending/mailing.ts";
import { nearest } from "#domain/text.ts";
import { isLayoutName, type LayoutName, layoutNames, layouts } from "../layouts/layouts.ts";
import type { ContentPart, ContentProblem, Prepared } from "../messages.ts";
import { type CheckedSource, checkSource, problemOf } from "./check-source.ts";
import { type CompiledTemplate, compileTemplate } from "./compiled-template.ts";
import { MAX_OUTPUT_LENGTH } from "./engine.ts";
import { inPlainText } from "./escape.ts";
import { asDocument, checkNesting, withPreheader } from "./html/document.ts";
import { findHtmlContexts } from "./html/escape-contexts.ts";
import { inlineCss } from "./html/inline-css.ts";
import { htmlToText } from "./html/plain-text.ts";
import { longTags } from "./long-tags.ts";
import type { MergeSurroundings } from "./merge-fields.ts";
import { type Protected, protectLiquid, restoreLiquid } from "./placeholders.ts";
import { madeTextProblem, missingParts } from "./render-samples.ts";

/**
 * Markdown to HTML: links, images, tables, no HTML inside. Liquid has been replaced by placeholders, so
 * values are inserted after it and cannot become markup. A paragraph or row that consists of Liquid tags only
 * is replaced by them, so that `{% if %}` leaves no gap. A link that is a paragraph of its own is a button,
 * if the layout has buttons.
 */
const parser = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: 50 });
// A word such as notes.txt is not meant as a link.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** A definition such as `[a]: https://a.example` may be used very often, and is written out each time. */
function render(text: string): string {
  const env = {};
  const tokens = parser.parse(text, env);
  let length = 0;
  for (const { attrs } of tokens.flatMap(({ children }) => children ?? []))
    for (const [, value] of attrs ?? []) length += String(value).length;
  if (length > MAX_OUTPUT_LENGTH)
    throw new Error(
      `The URLs and titles of its links and images have ${length} characters; at most ${MAX_OUTPUT_LENGTH} are allowed. Shorten them, or use fewer.`,
    );
  return parser.renderer.render(tokens, parser.options, env);
}

/** Throws if it is too large. */
function markdownToHtml({ text, tagPattern }: Protected): string {
  const tags = `((?:\\s*${tagPattern})+)\\s*`;
  return render(text)
    .replaceAll(new RegExp(`<p>${tags}</p>`, "g"), "$1")
    .replaceAll(/<p>(<a [^>]*>[^<]*<\/a>)<\/p>/g, '<p class="action">$1</p>')
    .replaceAll(new RegExp(`<tr>\\s*<td[^>]*>${tags}</td>(?:\\s*<td[^>]*></td>)*\\s*</tr>`, "g"), "$1");
}

function plainTemplate(source: string): CompiledTemplate {
  const liquid = protectLiquid(source);
  return compileTemplate(restoreLiquid(liquid.text, liquid, () => "plain"));
}

/** What looks like Liquid only because entities were resolved. */
const BRACE = /\{(?=[{%])/g;

/** Markdown in its layout: a Liquid template of HTML. */
function markdownInLayout(markdown: string, layout: LayoutName): string {
  const { start, end } = layouts[layout];
  const liquid = protectLiquid(markdown);
  const html = markdownToHtml(liquid)
    .replaceAll(BRACE, "&#123;")
    .replaceAll(
      new RegExp(liquid.pattern, "g"),
      (_, index: string) => liquid.pieces[Number(index)]?.source ?? "",
    );
  return `${start}${html}${end}`;
}

/** Where something in HTML or Markdown is not allowed. */
function placeProblems(part: "html" | "markdown", source: string): readonly ContentProblem[] {
  const liquid = protectLiquid(source, { trims: part === "html" });
  const html = part === "html" ? liquid : { ...liquid, text: markdownToHtml(liquid) };
  const lineAt = (position: number): number => source.slice(0, position).split("\n").length;
  return findHtmlContexts(html).bad.map(({ piece, position, message }) => {
    const from = piece === null ? null : liquid.pieces[piece]?.from;
    if (from !== null && from !== undefined) return { part, line: lineAt(from), message };
    return { part, line: part === "html" ? lineAt(liquid.sourceAt(position)) : null, message };
  });
}

interface PreparedHtml {
  readonly html: CompiledTemplate;
  readonly textOfHtml: () => CompiledTemplate;
}
function prepareHtml(source: string, needsPreheader: boolean): PreparedHtml {
  const liquid = protectLiquid(source, { trims: true });
  checkNesting(liquid.text);
  const inlined = inlineCss({ ...liquid, text: asDocument(liquid.text) });
  const text = needsPreheader ? withPreheader(inlined) : inlined;
  const { contextAt, contextOfPiece } = findHtmlContexts({ ...liquid, text });
  return {
    html: compileTemplate(restoreLiquid(text, liquid, contextAt)),
    textOfHtml: () => {
      const made = htmlToText(inlined).replaceAll(BRACE, '{{ "{" }}');
      return compileTemplate(restoreLiquid(made, liquid, (_, piece) => inPlainText(contextOfPiece(piece))));
    },
  };
}

const problem = (part: ContentPart, message: string): ContentProblem => ({ part, line: null, message });

/** What is not written yet. */
function* unwritten({ subject, html, markdown, text }: CampaignContent): Generator<ContentProblem> {
  if (subject.trim() === "") yield problem("subject", "The subject is missing. Give one.");
  if (html === null && markdown === null && text === null)
    yield problem("html", "The content is missing. Give HTML, Markdown or text.");
}

/** What is wrong with the parts as a whole. */
function* wholeProblems({ html, markdown, layout }: CampaignContent): Generator<ContentProblem> {
  if (html !== null && markdown !== null)
    yield problem("markdown", "There are both HTML and Markdown. Remove one of them.");
  if (layout !== null && !isLayoutName(layout)) {
    const near = nearest(layout, layoutNames);
    const hint = near === null ? "" : ` Did you mean "${near}"?`;
    yield problem("layout", `There is no layout "${layout}".${hint} Layouts: ${layoutNames.join(", ")}.`);
  }
}

/** Runs a step; an error becomes a problem of the part. */
function attempt<T>(
  part: ContentPart,
  problems: ContentProblem[],
  step: () => T,
  asProblem: (part: ContentPart, error: unknown) => ContentProblem = problemOf,
): T | null {
  try {
    return step();
  } catch (error) {
    problems.push(asProblem(part, error));
    return null;
  }
}

interface Problems {
  readonly problems: readonly ContentProblem[];
}

/** For sending: nothing that a message needs is missing. */
export function prepareContent(
  content: CampaignContent,
  surroundings: MergeSurroundings,
): Prepared | Problems {
  const draft = prepareDraft(content, surroundings);
  if ("problems" in draft) return { problems: [...unwritten(content), ...draft.problems] };
  const problems = draft.missing();
  return problems.length > 0 ? { problems } : draft.prepared;
}

interface PreparedDraft {
  readonly prepared: Prepared;
  /** What it needs before it can be sent. */
  readonly missing: () => readonly ContentProblem[];
}

/** Of content that is still being written, and may lack anything. Nothing at all is empty Markdown. */
export function prepareDraft(
  content: CampaignContent,
  surroundings: MergeSurroundings,
): PreparedDraft | Problems {
  const { subject, preheader, html, text } = content;
  const markdown = html === null && text === null ? (content.markdown ?? "") : content.markdown;
  const long = longTags(content);
  if (long.length > 0) return { problems: long };
  const sources: readonly (readonly [ContentPart, string | null])[] = [
    ["subject", subject],
    ["preheader", preheader],
    ["html", html],
    ["markdown", markdown],
    ["text", text],
  ];
  const checked = new Map<ContentPart, CheckedSource>();
  for (const [part, source] of sources)
    if (source !== null) checked.set(part, checkSource(part, source, surroundings.fields));
  const problems = [...wholeProblems(content), ...[...checked.values()].flatMap((source) => source.problems)];
  for (const [part, source] of [["html", html] as const, ["markdown", markdown] as const])
    if (problems.length === 0 && source !== null)
      problems.push(...(attempt(part, problems, () => placeProblems(part, source)) ?? []));
  if (problems.length > 0) return { problems };

  const part = markdown === null ? "html" : "markdown";
  const insertsPreheader = preheader.trim() !== "" && checked.get(part)?.usedNames.has("preheader") !== true;
  const prepared = attempt(part, problems, () => {
    const layout = content.layout !== null && isLayoutName(content.layout) ? content.layout : "plain";
    const source = markdown === null ? html : markdownInLayout(markdown, layout);
    return source === null ? null : prepareHtml(source, insertsPreheader);
  });
  const textTemplate = attempt(
    "text",
    problems,
    () => (text === null ? (prepared?.textOfHtml() ?? null) : plainTemplate(text)),
    text === null ? madeTextProblem : problemOf,
  );
  const subjectTemplate = attempt("subject", problems, () => plainTemplate(subject));
  const preheaderTemplate = attempt("preheader", problems, () => plainTemplate(preheader));
  if (textTemplate === null || subjectTemplate === null || preheaderTemplate === null || problems.length > 0)
    return { problems };
  const result: Prepared = {
    surroundings,
    subject: subjectTemplate,
    preheader: preheaderTemplate,
    html: prepared?.html ?? null,
    text: textTemplate,
    isTextMade: text === null,
    usedFields: [...new Set([...checked.values()].flatMap(({ usedFields }) => usedFields))],
  };
  return {
    prepared: result,
    missing: () => {
      const absent = [...unwritten(content)];
      const isAbsent = ({ part: of }: ContentProblem): boolean => absent.some((one) => one.part === of);
      return [...absent, ...missingParts(result, part).filter((one) => !isAbsent(one))];
    },
  };
}
