/** Outcomes of calls, in the words of the API. */
import { type OutcomeName, outcomes } from "#contract/outcomes.ts";
import { type Camel, camel, OneOfCamel, readCamel } from "./schemas.ts";

const names = Object.keys(outcomes) as readonly OutcomeName[];
export const Outcome = OneOfCamel(names, "Why the call was refused.");
type OutcomeWord = Camel<OutcomeName>;

/** An earlier version may have stored an outcome that this version does not know. */
export const outcomeWord = (stored: string): OutcomeWord => camel(stored) as OutcomeWord;
export const readOutcome = (word: OutcomeWord): OutcomeName => readCamel(names, word);
