/**
 * Renders the message of one person, and checks that it contains what every message must. What cannot be
 * rendered is not sent.
 */
import { LiquidError } from "liquidjs";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { CannotRender, ContentPart, Prepared, Rendered } from "../messages.ts";
import { renderTemplate } from "./compiled-template.ts";
import { RenderTime, RenderTimeExceeded, type Unshown } from "./engine.ts";
import { cleanLine, scopeOf } from "./merge-fields.ts";
import { missingIn } from "./required-parts.ts";

/** What a template does wrong. */
interface TemplateFailure {
  readonly failedPart: ContentPart;
  readonly error: unknown;
}

/** Without the check. */
export function renderParts(
  prepared: Prepared,
  person: MergeData,
  unsubscribeUrl: string,
): Rendered | TemplateFailure {
  const scope = scopeOf(person, unsubscribeUrl, prepared.surroundings, prepared.usedFields);
  const unshown: Unshown = new Map();
  const time = new RenderTime();
  let part: ContentPart = "subject";
  try {
    const subject = cleanLine(renderTemplate(prepared.subject, scope, unshown, time)).trim();
    if (subject !== "") scope.subject = subject;
    part = "preheader";
    const preheader = cleanLine(renderTemplate(prepared.preheader, scope, unshown, time)).trim();
    if (preheader !== "") scope.preheader = preheader;
    part = "html";
    const html = prepared.html === null ? null : renderTemplate(prepared.html, scope, unshown, time);
    part = "text";
    const given = renderTemplate(prepared.text, scope, unshown, time);
    // Where an `if` inserted nothing.
    const text = prepared.isTextMade ? given.replaceAll(/\n{3,}/g, "\n\n") : given;
    const those = (why: "empty" | "refused"): readonly string[] =>
      [...unshown].filter((one) => one[1] === why).map(([field]) => field);
    return {
      ...{ subject, preheader, html, text },
      emptyFields: those("empty"),
      refusedFields: those("refused"),
    };
  } catch (error) {
    return { failedPart: part, error };
  }
}

/** Liquid wraps an error, and adds lines of the template to its message. */
const originOf = (error: unknown): unknown =>
  LiquidError.is(error) ? (error.originalError ?? error) : error;

const ranOutOfTime = (rendered: Rendered | TemplateFailure): boolean =>
  "error" in rendered && originOf(rendered.error) instanceof RenderTimeExceeded;

function failureText({ failedPart, error }: TemplateFailure): string {
  const origin = originOf(error);
  return `${failedPart}: ${origin instanceof Error ? origin.message : String(origin)}`;
}

/** Templates whose messages took too long twice. */
const slow = new WeakSet<Prepared>();

/** Also a message that lacks something. */
export function renderDraftFor(
  prepared: Prepared,
  person: MergeData,
  unsubscribeUrl: string,
): Rendered | CannotRender {
  let rendered = renderParts(prepared, person, unsubscribeUrl);
  // Some virtual machines count time in which they stood still: so it is tried again, but not for everybody.
  if (ranOutOfTime(rendered) && !slow.has(prepared)) {
    rendered = renderParts(prepared, person, unsubscribeUrl);
    if (ranOutOfTime(rendered)) slow.add(prepared);
  }
  if ("error" in rendered)
    return { cannotRender: failureText(rendered), ...(ranOutOfTime(rendered) ? { isTooSlow: true } : {}) };
  return rendered;
}

export function renderFor(
  prepared: Prepared,
  person: MergeData,
  unsubscribeUrl: string,
): Rendered | CannotRender {
  const rendered = renderDraftFor(prepared, person, unsubscribeUrl);
  if ("cannotRender" in rendered) return rendered;
  if (rendered.subject === "") return { cannotRender: "subject: empty" };
  const address = prepared.surroundings.sender?.postalAddress ?? "";
  const [missing] = missingIn(rendered, unsubscribeUrl, address, prepared.html?.hasFixedMarkup);
  if (missing === undefined) return rendered;
  return { cannotRender: `${missing.part}: no ${missing.what}`, missing: missing.what };
}
