/** Texts of errors that the API and the console share. */
import { type OutcomeName, outcomes } from "#contract/outcomes.ts";
import type { Refused } from "./kit/errors.ts";

const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export const sentence = (text: string): string =>
  withFullStop(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);

/** What is wrong with an input, after its name. */
export const namedProblem = (name: string, problem: string): string => withFullStop(`${name}: ${problem}`);

/** Of an outcome, as the reference of the operations explains it. */
export const meaningOf = (outcome: string): string =>
  Object.hasOwn(outcomes, outcome) ? outcomes[outcome as OutcomeName].text : sentence(outcome);

export const refusalText = ({ outcome, explanation }: Refused): string =>
  explanation === null ? meaningOf(outcome) : sentence(explanation);

export const UNAVAILABLE_TEXT = "The database does not answer; try again in a few seconds.";
