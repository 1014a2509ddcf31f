/** Outcomes as text: what a refusal means, and what to do about it. */
import { type OutcomeName, outcomes } from "#contract/outcomes.ts";
import type { AccountId } from "#domain/account.ts";
import { addressProblem } from "#domain/address.ts";
import { PROGRAM } from "#shipped.ts";
import { type ErrorCode, Failure, type Output } from "./command.ts";
import { shellWord } from "./terminal/text.ts";

/** The subject of a command, as far as the advice needs it. */
export interface Subject {
  readonly account: AccountId;
  /** As given, valid or not. */
  readonly address: string | null;
  readonly limit: "subscribers" | "fields";
}

const isOutcome = (name: string): name is OutcomeName => Object.hasOwn(outcomes, name);
/** null for outcomes that no SOAP operation returns. */
export const byteOf = (name: string): number | null => (isOutcome(name) ? outcomes[name].byte : null);
export const meaningOf = (name: string): string => (isOutcome(name) ? outcomes[name].text : name);

const reactivate = (who: string, suppression: string): string =>
  `${PROGRAM} subscriber reactivate ${who} --from ${suppression} --reason TEXT`;

const advices: Readonly<Record<OutcomeName, (who: string, subject: Subject) => string>> = {
  Done: () => "",
  InvalidEmail: (who, { address }) => `The given address was ${who}: ${addressProblem(address ?? "")}.`,
  UnknownList: () => `See '${PROGRAM} list list'.`,
  InvalidFieldName: () => "Choose another name.",
  FieldExists: () => `See '${PROGRAM} field list'.`,
  UnknownField: () => `See '${PROGRAM} field list'.`,
  InvalidValue: () => "Correct the value.",
  Blocked: (who) =>
    `See '${PROGRAM} block list'; remove a block with '${PROGRAM} block remove', clear a complaint with: ${reactivate(who, "complained")}`,
  Unsubscribed: (who) =>
    `If the subscriber asked to be mailed again, give that request as the reason: ${reactivate(who, "unsubscribed")}`,
  Bounced: (who) => `If the address works again: ${reactivate(who, "bounced")}`,
  LimitReached: (_who, { account, limit }) =>
    `Raise it with: ${PROGRAM} account set ${account} --limit-${limit} N`,
  NotOnList: (who) => `See '${PROGRAM} subscriber show ${who}'.`,
};

export function adviceOn(name: string, subject: Subject): string {
  const who = subject.address === null ? "EMAIL" : shellWord(subject.address);
  return isOutcome(name) ? advices[name](who, subject) : "";
}

/** Name, number, and an explanation or meaning and advice, in one line. */
export function refusalLine(name: string, subject: Subject, explanation: string | null = null): string {
  const byte = byteOf(name);
  if (byte === null && explanation !== null) return explanation;
  const head = byte === null ? name : `${name} (${byte})`;
  return `${head}: ${explanation ?? `${meaningOf(name)} ${adviceOn(name, subject)}`.trimEnd()}`;
}

/** Outcomes that no SOAP operation returns. */
const codes: Readonly<Record<string, ErrorCode>> = {
  UnknownSubscriber: "NotFound",
  UnknownCampaign: "NotFound",
  NotSuppressed: "NotSuppressed",
};

/** The error of a command that was refused: the outcome for scripts, `line` for users. */
export function refused(out: Output, outcome: string, line: string): Failure {
  out.json({ outcome, byte: byteOf(outcome) });
  return new Failure(line, isOutcome(outcome) ? outcome : (codes[outcome] ?? "Failed"));
}

export function refuse(out: Output, outcome: string, line: string): never {
  throw refused(out, outcome, line);
}

/** Prints the outcome of a command that was not refused; `done` is the text. */
export const printOutcome = (out: Output, outcome: string, done: string): void =>
  out.result({ outcome, byte: byteOf(outcome) }, () => done);
