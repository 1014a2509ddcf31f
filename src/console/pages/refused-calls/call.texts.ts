import { isolated, quoted } from "#html/names.ts";

export const group = "All calls of this group";
export const whatToDo = "What to do";
export const operation = "Operation";
export const integration = "Integration";
export const made = "Attempts";
export const once = "once";
export const timesMade = (number: string): string => `${number} times`;
export const first = "First refused";
export const last = "Last refused";

export const given = "What the program sent";
export const argument = "Argument";
export const value = "Value";
export const nothingSent = "The call had no arguments.";
export const empty = "empty";
export const isList = (name: string): string => `the list ${quoted(name)}`;
export const noList = "there is no such list";
export const listChoice = (name: string, id: string): string => `${isolated(name)} (${id})`;
export const noListChoice = (id: string): string => (id === "" ? "" : `${id}: there is no such list`);
export const isPerson = "show this person";

export const correct = "Correct and replay";
export const correctDescription =
  "Correct the values, or leave them as they are. The call is then carried out as if the program made it now.";
export const recordField = (parameter: string, number: number, field: string): string =>
  `${parameter} ${number}: ${field}`;
export const replay = "Replay";
export const succeeded = "The call succeeded and is removed from the refused calls.";
export const refusedAgain = (reason: string, meaning: string): string =>
  `Refused again: ${reason}. ${meaning}`;
export const isCut =
  "The arguments were too long to be stored in full, so the call cannot be replayed. Make it again in the program, then dismiss it here.";
export const unknownOperation = (name: string): string =>
  `This version has no operation ${name}, so the call cannot be replayed. Dismiss it.`;

export const dismiss = "Dismiss";
export const dismissDescription =
  "Removes the call from the refused calls. No data changes. If the program repeats the call, it is listed again.";
export const dismissed = "The call is dismissed.";
