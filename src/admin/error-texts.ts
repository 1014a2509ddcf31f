/** Texts of errors that the API and the console share. */
import { type OutcomeName, outcomes } from "../contract/outcomes.ts";
import type { Refused } from "./kit/errors.ts";

export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;

/** Of an outcome, as the reference of the operations explains it. */
export const meaningOf = (outcome: string): string =>
  Object.hasOwn(outcomes, outcome) ? outcomes[outcome as OutcomeName].text : sentence(outcome);

export const refusalText = ({ outcome, explanation }: Refused): string =>
  explanation === null ? meaningOf(outcome) : sentence(explanation);

export const UNAVAILABLE_TEXT = "The database does not answer; try again in a few seconds.";
