/**
 * Why an action failed. Each adapter – command line, API – says it in its own words: it knows what the input
 * is called there, and what the reader can do next.
 */
import type { AuditedThing } from "#domain/access/audit.ts";
import type { Campaign } from "#domain/campaign.ts";
import type { FieldId } from "#domain/field/field.ts";

export type Thing = Exclude<AuditedThing, "sign-in link"> | "composed campaign" | "upload" | "version";

export abstract class AdminError extends Error {}

/**
 * An input breaks a rule. The message is a sentence without its subject, such as "must be in the future". If
 * the input takes several values, the message is a whole sentence that names the wrong one.
 */
export class InvalidInput extends AdminError {
  override readonly name = "InvalidInput";
  /** The name of the input among the action's arguments. */
  readonly input: string;
  /** Which part of an input with several values is wrong, such as `EMail`; null: it has no parts. */
  readonly part: string | null;
  constructor(input: string, problem: string, part: string | null = null) {
    super(problem);
    this.input = input;
    this.part = part;
  }
}

export class NotFound extends AdminError {
  override readonly name = "NotFound";
  readonly thing: Thing;
  readonly id: string;
  /** The argument of the action that names it, if it is not the thing that the action is about. */
  readonly input: string | null;
  /** `known`: what is known about the id although the thing does not exist. */
  constructor(
    thing: Thing,
    id: string | number | bigint,
    known: readonly string[] = [],
    input: string | null = null,
  ) {
    const named = thing === "subscriber" && typeof id === "string" ? "subscriber with the address" : thing;
    super([`there is no ${named} ${id}`, ...known].join("; "));
    this.thing = thing;
    this.id = String(id);
    this.input = input;
  }
}

/** What was found. Throws NotFound; `input`: see there. */
export function existing<Found>(
  thing: Thing,
  id: string | number | bigint,
  found: Found | null,
  input: string | null = null,
): Found {
  if (found === null) throw new NotFound(thing, id, [], input);
  return found;
}

/**
 * The message is a whole sentence. `input`: which of the action's arguments is already in use; `detail` says
 * so about it.
 */
export class AlreadyExists extends AdminError {
  override readonly name = "AlreadyExists";
  readonly input: string | null;
  readonly detail: string;
  constructor(message: string, input: string | null = null, detail = "is already in use") {
    super(message);
    this.input = input;
    this.detail = detail;
  }
}

/**
 * The rules refused the action, as they would refuse a call. `outcome` is the name of the outcome;
 * `explanation` says more, such as which value was wrong.
 */
export class Refused extends AdminError {
  override readonly name = "Refused";
  readonly outcome: string;
  readonly explanation: string | null;
  /** The custom field whose value was wrong. */
  readonly field: FieldId | null;
  constructor(outcome: string, explanation: string | null = null, field: FieldId | null = null) {
    super(explanation ?? outcome);
    this.outcome = outcome;
    this.explanation = explanation;
    this.field = field;
  }
}

/** The thing exists, but the action cannot be performed on it. The message is a whole sentence. */
export class NotPossible extends AdminError {
  override readonly name = "NotPossible";
}

/** `what` cannot be deleted before the campaign has ended; `how` it names it is a part of a sentence. */
export const stillNeeded = (what: string, { id, name }: Campaign, how: string): NotPossible =>
  new NotPossible(
    `${what} cannot be deleted: campaign ${id} (${name}) ${how}, and has not ended; wait until it is finished, or unschedule or cancel it first`,
  );

/** As NotPossible, for several reasons at once, each with what to do. */
export class NotReady extends NotPossible {
  readonly what: string;
  readonly problems: readonly string[];
  constructor(what: string, problems: readonly string[]) {
    const numbered = problems.map((problem, index) => `(${index + 1}) ${problem}`);
    super(`${what}: ${numbered.join("; ")}`);
    this.what = what;
    this.problems = problems;
  }
}

/** As NotPossible, because the same request has done it before. Nothing was changed now. */
export class AlreadyDone extends NotPossible {
  constructor(because = "what it was about has changed since, or does not exist any more") {
    super(`the request was already executed; ${because}`);
  }
}

/** As NotPossible, but only until a limit allows more. The message says when. */
export class RateLimited extends NotPossible {
  readonly retryAfterSeconds: number;
  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export class Forbidden extends AdminError {
  override readonly name = "Forbidden";
}

/** The thing is not as the actor has read it. The message is a whole sentence. */
export class Outdated extends AdminError {
  override readonly name = "Outdated";
}
