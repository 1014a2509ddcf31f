/**
 * Why an action failed. Each adapter – command line, API – says it in its own words: it knows what the input
 * is called there, and what the reader can do next.
 */

export type Thing =
  | "account"
  | "block"
  | "campaign"
  | "field"
  | "import"
  | "key"
  | "list"
  | "refused call"
  | "subscriber";

export abstract class AdminError extends Error {}

/** An input breaks a rule. The message is a sentence without its subject: "must be in the future". */
export class InvalidInput extends AdminError {
  override readonly name = "InvalidInput";
  /** The name of the input among the action's arguments. */
  readonly input: string;
  constructor(input: string, problem: string) {
    super(problem);
    this.input = input;
  }
}

export class NotFound extends AdminError {
  override readonly name = "NotFound";
  readonly thing: Thing;
  readonly id: string;
  constructor(thing: Thing, id: string | number | bigint) {
    super(`there is no ${thing} ${id}`);
    this.thing = thing;
    this.id = String(id);
  }
}

/** The message is a whole sentence. */
export class AlreadyExists extends AdminError {
  override readonly name = "AlreadyExists";
}

/** The rules refused it, as they would refuse a caller; `outcome` is the name of the outcome. */
export class Refused extends AdminError {
  override readonly name = "Refused";
  readonly outcome: string;
  constructor(outcome: string) {
    super(outcome);
    this.outcome = outcome;
  }
}

export class Forbidden extends AdminError {
  override readonly name = "Forbidden";
}
