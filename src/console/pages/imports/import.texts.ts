export const title = "Import";
export const isRunning = "Running";
export const isDone = "Finished";
export const isStopped = "Stopped";
export const isFailed = "Failed";
export const isUnfinished = "Not finished";
export const details = "Details";
export const into = "Into the list";
export const deletedList = "a deleted list";
export const suppressions = "Addresses not to mail";
export const contains = "Contains";
export const by = "Started by";
export const started = "Started";
export const ended = "Ended";
export const somebody = "somebody";
export const result = "Result";
export const outcome = "Outcome";
export const rejectedGone =
  "The rejected rows are deleted: they are kept for a day, or until a subscriber of this account is erased.";
export const rejectedAdvice =
  "The download has each rejected row as it was in the file, with its line and the reason. Correct the rows and import that file: what is imported already stays.";
export const rejected = "Rejected rows";
export const failedTitle = "The import ended before the last row";
export const failedAdvice = "What it imported before that stays.";
export const stoppedTitle = "The import was stopped";
export const interrupted =
  "The import was interrupted. What it imported stays; import the file again for the rest.";
export const another = "Import another file";
export const stop = "Stop the import";
export const stopTitle = "Stop the import?";
export const stopText = [
  "The rows imported so far stay.",
  "The rest of the file is not imported. To continue later, import the file again: nobody is added twice.",
] as const;
export const stopped = "The import stops after the current rows.";
export const keep = "Continue the import";
export const doneText = (rows: string, time: string | null): string => {
  const said = rows === "1" ? "1 row" : `${rows} rows`;
  return time === null ? `${said}.` : `${said} in ${time}.`;
};
export const duration = (ms: number): string => {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
};
