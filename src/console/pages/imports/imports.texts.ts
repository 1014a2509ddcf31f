export const title = "Import";
export const description =
  "Add people to a list from a CSV file, or import addresses that must not be mailed. Nothing changes until you have seen the result of a dry run.";
export const file = "CSV file";
export const fileHint =
  "Any separator and encoding. The first row has the headings of the columns, in any language. You choose on the next page what each column means.";
export const prompt = "or drop it here";
export const withoutScript = "Without JavaScript, the file may not be larger than the limit for one request.";
export const upload = "Upload";
export const noFile = "Choose a file first.";
export const emptyFile = "The file is empty. Choose another one.";
export const wrongSize = "The size of the file is not known. Choose the file again.";
export const uploaded = "The file is uploaded.";

export const waiting = "Uploaded files";
export const waitingDescription = "Not imported yet. A file is deleted a day after its last use.";
export const size = "Size";
export const arrived = "Uploaded";
export const isIncomplete = "Incomplete";
export const isWhole = "Ready";
export const state = "State";
export const deleted = "The file is deleted.";
export const deleteFile = "Delete";

export const imports = "Previous imports";
export const fileName = "File";
export const into = "Into";
export const suppressions = "Suppressions";
export const rows = "Rows";
export const added = "Added";
export const recorded = "Recorded";
export const rejected = "Rejected";
export const by = "By";
export const started = "Started";
export const isRunning = "Not finished";
export const deletedList = "a deleted list";
export const count = (shown: string): string =>
  shown === "1" ? "1 import" : `${shown} imports, newest first`;
export const none = "No imports yet";
export const noneText = "Each import appears here, with who started it, when, and its result.";
export const noneForViewers = "Editors and owners of this account can import files.";
