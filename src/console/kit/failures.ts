/**
 * Errors as operators see them: beside the fields of a form, or as a page. The one place that turns errors of
 * actions into texts of the console.
 */
import { namedProblem, refusalText, sentence, UNAVAILABLE_TEXT } from "#admin/error-texts.ts";
import {
  AlreadyExists,
  Forbidden,
  InvalidInput,
  NotFound,
  NotPossible,
  Outdated,
  RateLimited,
  Refused,
} from "#admin/kit/errors.ts";
import { Fault, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import * as texts from "./failures.texts.ts";
import type { Form, FormProblems } from "./forms/form.ts";

/** 422: the form is shown again, with what was typed. */
const UNPROCESSABLE = 422;

/** `inputs`: the names in the form of the action's inputs. null: not about the form. */
export function formProblems(
  error: unknown,
  sent: Form,
  inputs: Readonly<Record<string, string>> = {},
): FormProblems | null {
  const whole = (message: string, status = UNPROCESSABLE): FormProblems => ({ status, message, fields: {} });
  if (error instanceof FormRefused) return error.problems;
  if (error instanceof InvalidInput) {
    const input = inputs[error.input] ?? error.input;
    const name = error.part === null ? input : `${input}/${error.part}`;
    const problem = sentence(error.message);
    // A problem of something that is no field of the form would otherwise not be seen.
    if (!sent.has(name) && sent.file(name) === null) return whole(namedProblem(name, error.message));
    return { status: UNPROCESSABLE, message: null, fields: { [name]: problem } };
  }
  if (error instanceof Outdated) return whole(texts.outdated, 409);
  if (error instanceof Refused) return whole(refusalText(error));
  if (error instanceof AlreadyExists && error.input !== null) {
    const name = inputs[error.input] ?? error.input;
    if (sent.has(name))
      return { status: UNPROCESSABLE, message: null, fields: { [name]: sentence(error.message) } };
  }
  if (error instanceof RateLimited) return whole(sentence(error.message), 429);
  if (error instanceof AlreadyExists || error instanceof NotPossible || error instanceof NotFound)
    return whole(sentence(error.message));
  if (error instanceof Fault && error.code === "Throttled") return whole(error.message, 429);
  return null;
}

/** What a page about an error says. */
export interface Failure {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly retryAfterSeconds: number | null;
}
const failure = (
  status: number,
  title: string,
  text: string,
  retryAfterSeconds: number | null = null,
): Failure => ({ status, title, text, retryAfterSeconds });

/** A page has found something wrong with a form itself. */
export class FormRefused extends Error {
  override readonly name = "FormRefused";
  readonly problems: FormProblems;
  constructor(problems: Partial<FormProblems>) {
    super(problems.message ?? "a field is wrong");
    this.problems = { status: UNPROCESSABLE, message: null, fields: {}, ...problems };
  }
}
/** A page shows nothing but this. */
export class PageFailure extends Error {
  override readonly name = "PageFailure";
  readonly failure: Failure;
  constructor(status: number, title: string, text: string) {
    super(text);
    this.failure = failure(status, title, text);
  }
}
export class NoSuchPage extends Error {
  override readonly name = "NoSuchPage";
}
/** The request does not come from a page of the console. */
export class CrossSite extends Error {
  override readonly name = "CrossSite";
}

export const noSuchPage = (): Failure => failure(404, texts.notFoundTitle, texts.noSuchPage);
export const defect = (reference: string): Failure =>
  failure(500, texts.defectTitle, texts.defect(reference));

/** null: a defect. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof PageFailure) return error.failure;
  if (error instanceof NoSuchPage) return noSuchPage();
  if (error instanceof NotFound) return failure(404, texts.notFoundTitle, sentence(error.message));
  if (error instanceof Forbidden) return failure(403, texts.forbiddenTitle, sentence(error.message));
  if (error instanceof CrossSite) return failure(403, texts.crossSiteTitle, texts.crossSite);
  if (error instanceof InvalidInput)
    return failure(400, texts.invalidTitle, `${sentence(`${error.input} ${error.message}`)}`);
  if (error instanceof RateLimited)
    return failure(429, texts.faultTitle("Throttled"), sentence(error.message), error.retryAfterSeconds);
  if (error instanceof AlreadyExists || error instanceof NotPossible || error instanceof Outdated)
    return failure(409, texts.notPossibleTitle, sentence(error.message));
  if (error instanceof Refused) return failure(UNPROCESSABLE, texts.notPossibleTitle, refusalText(error));
  if (error instanceof StoreUnavailable)
    return failure(503, texts.unavailableTitle, UNAVAILABLE_TEXT, RETRY_AFTER_SECONDS);
  if (error instanceof Fault && error.code !== "InternalError")
    return failure(error.kind.status, texts.faultTitle(error.code), error.message, error.retryAfterSeconds);
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  return statusCode < 500 ? failure(statusCode, texts.invalidTitle, texts.invalidRequest) : null;
}
