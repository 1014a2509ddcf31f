/** What becomes of the rows of a file. `isDone`: of an import; otherwise of a dry run. */
import type { CountedAs } from "#domain/import/batch.ts";

export interface OutcomeText {
  readonly label: string;
  readonly text: (isDone: boolean) => string;
}

export const outcomes: Readonly<Record<CountedAs, OutcomeText>> = {
  added: {
    label: "Added",
    text: (isDone) => (isDone ? "They are on the list now." : "They will be on the list."),
  },
  alreadyThere: {
    label: "Already there",
    text: (isDone) =>
      isDone
        ? "They were on the list before. What their row says was added to their data."
        : "They are on the list. What their row says will be added to their data.",
  },
  pending: {
    label: "Not confirmed",
    text: () =>
      "They are on the list, but have not confirmed their subscription. An import does not confirm it.",
  },
  unsubscribed: {
    label: "Unsubscribed",
    text: () => "They have unsubscribed, or the file says so. They get no mail.",
  },
  bounced: { label: "Bounced", text: () => "Mail to them came back. They get no mail." },
  complained: { label: "Complained", text: () => "They reported a mail as spam. They get no mail." },
  blocked: { label: "Blocked", text: () => "Their address is on the block list. They get no mail." },
  erased: {
    label: "Erased",
    text: () => "They were erased here, and must not be mailed. Their row is not stored.",
  },
  leftSince: {
    label: "Left the list",
    text: (isDone) =>
      isDone
        ? "They left this list after the date in the file, and were not added again."
        : "They left this list after the date in the file, and will not be added again.",
  },
  duplicates: {
    label: "Repeated",
    text: () => "A later row of the file has the same address, and counts instead.",
  },
  rejected: {
    label: "Rejected",
    text: (isDone) => (isDone ? "These rows were not imported." : "These rows will not be imported."),
  },
};

export const rows = "Rows";
export const notMailed = "Not mailed";
export const notMailedDetail = "unsubscribed, bounced or blocked";
export const recorded = "Recorded";
export const recordedDetail = (isDone: boolean): string =>
  isDone ? "not mailed from now on" : "will not be mailed";
export const newBlocks = "Newly blocked";
export const noOps = "Already recorded";

export const meaning = "What it means";
export const line = "Line";
export const lineNumber = (number: string): string => `Line ${number}`;
export const row = "Row of the file";
export const reason = "Reason";
export const reasons = "Why rows are rejected";
export const sampleCaption = (label: string): string => `Some rows: ${label}`;
export const examples = "Examples";
export const firstRejected = "The first rejected rows";

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many);
export const people = (shown: string, count: number): string =>
  `${shown} ${plural(count, "person", "people")}`;
export const valuesOf = (shown: string, count: number): string =>
  `${shown} ${plural(count, "value", "values")}`;
export const newPeople = (shown: string, count: number, isDone: boolean): string =>
  isDone
    ? `${people(shown, count)} ${plural(count, "is", "are")} new in this account.`
    : `${people(shown, count)} will be new in this account.`;
export const updated = (people: string, values: string, isDone: boolean): string =>
  isDone
    ? `The file has updated ${values} of ${people} who had a profile here.`
    : `The file will update ${values} of ${people} who have a profile here.`;
export const keptNewer = (people: string, values: string): string =>
  `The file does not replace ${values} of ${people}: they were entered here or by a program, not by an import.`;
export const blocks = (shown: string, count: number, isDone: boolean): string => {
  const entries = `${shown} ${plural(count, "entry", "entries")}`;
  return isDone
    ? `${entries} ${plural(count, "was", "were")} added to the block list.`
    : `${entries} will be added to the block list.`;
};
export const nothing = (isDone: boolean): string =>
  isDone ? "No row changed anything." : "No row would change anything: was this file imported before?";
