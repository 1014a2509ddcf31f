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
import { Fault, type FaultCode, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { Form, FormProblems } from "./form.ts";

const invalidTitle = "Invalid request";
const unavailableTitle = "The database does not answer";
export const sentTwice =
  "This form was sent twice, and executed once. The secret was in the first reply, and cannot be shown again. " +
  "If you have not seen it, revoke what was created, and create another one.";
const faultTitles: Partial<Record<FaultCode, string>> = {
  Throttled: "Too many requests",
  TooLarge: "This is too large",
  Unavailable: unavailableTitle,
};
const notPossibleTitle = "This cannot be done now";
const faultTitle = (code: FaultCode): string => faultTitles[code] ?? invalidTitle;

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
    const field = [name, input].find((one) => sent.has(one) || sent.file(one) !== null);
    // A problem of something that is no field of the form would otherwise not be seen.
    if (field === undefined) return whole(namedProblem(name, error.message));
    return { status: UNPROCESSABLE, message: null, fields: { [field]: sentence(error.message) } };
  }
  if (error instanceof Outdated)
    return whole(
      "Somebody else has changed this since you opened the page, so nothing was saved. The form still has what you typed: " +
        "to replace the other change, save again; to see it, open the page again.",
      409,
    );
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

/** Of something that may have been deleted meanwhile: `perform(…).catch(goneAsNull)`. */
export function goneAsNull(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

export const noSuchPage = (): Failure =>
  failure(
    404,
    "Not found",
    "There is no page at this address. Check it for typing errors; or what it showed was deleted.",
  );
export const defect = (reference: string): Failure =>
  failure(
    500,
    "Something went wrong on our side",
    `The page could not be shown. Details are in the log of the service, with the reference ${reference}.`,
  );

/** null: a defect. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof PageFailure) return error.failure;
  if (error instanceof NoSuchPage) return noSuchPage();
  if (error instanceof NotFound) return failure(404, "Not found", sentence(error.message));
  if (error instanceof Forbidden) return failure(403, "Not allowed", sentence(error.message));
  if (error instanceof CrossSite)
    return failure(
      403,
      "The request did not come from the console",
      "The request was not sent by a page of this console, so nothing was done. Open the console and do it there. " +
        "If you are behind a proxy, it must pass the Host header on, or the setting base-url must be the address in your browser.",
    );
  if (error instanceof InvalidInput)
    return failure(400, invalidTitle, `${sentence(`${error.input} ${error.message}`)}`);
  if (error instanceof RateLimited)
    return failure(429, faultTitle("Throttled"), sentence(error.message), error.retryAfterSeconds);
  if (error instanceof AlreadyExists || error instanceof NotPossible || error instanceof Outdated)
    return failure(409, notPossibleTitle, sentence(error.message));
  if (error instanceof Refused) return failure(UNPROCESSABLE, notPossibleTitle, refusalText(error));
  if (error instanceof StoreUnavailable)
    return failure(503, unavailableTitle, UNAVAILABLE_TEXT, RETRY_AFTER_SECONDS);
  if (error instanceof Fault && error.code !== "InternalError")
    return failure(error.kind.status, faultTitle(error.code), error.message, error.retryAfterSeconds);
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  return statusCode < 500
    ? failure(
        statusCode,
        invalidTitle,
        "The request is not valid. Go back, open the page again and repeat it.",
      )
    : null;
}
