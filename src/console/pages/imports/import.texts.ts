export const title = "Import";
export const isRunning = "running";
export const isDone = "finished";
export const isStopped = "stopped";
export const isFailed = "failed";
export const isUnfinished = "not finished";
export const into = "Into the list";
export const deletedList = "a deleted list";
export const suppressions = "Whom not to mail";
export const contains = "Contains";
export const by = "Started by";
export const started = "Started";
export const ended = "Ended";
export const somebody = "somebody";
export const result = "What became of the rows";
export const outcome = "Outcome";
export const rejectedGone =
  "The rejected rows are not stored any more: they are deleted after a day, and when somebody of this account is erased.";
export const rejectedAdvice =
  "Each row as it was in the file, with the line and the reason before it. Correct the file and import it again: what was imported stays as it is.";
export const rejected = "Rejected rows";
export const failedTitle = "The import ended before the last row";
export const failedAdvice = "What was imported until then stays.";
export const stoppedTitle = "The import was stopped";
export const interrupted =
  "The import did not come to its end. What was imported until then stays; import the file again for the rest.";
export const another = "Import another file";
export const stop = "Stop the import";
export const stopTitle = "Stop the import?";
export const stopText = [
  "The rows that are imported so far stay.",
  "The rest of the file is not imported. To go on later, import the file again: rows that are there already are not added twice.",
] as const;
export const stopped = "The import stops after the current rows.";
export const keep = "Let it go on";
export const doneText = (rows: string, time: string | null): string =>
  time === null ? `${rows} rows.` : `${rows} rows in ${time}.`;
export const duration = (ms: number): string => {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return seconds === 1 ? "a second" : `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
};
