export const title = "Import";
export const description =
  "Add people to a list from a CSV file, or tell Mailroll whom it must not mail. Nothing changes before you have seen what would.";
export const file = "A CSV file";
export const fileHint =
  "Any separator and encoding. The first row names the columns, in the words of your other program; you say on the next page what they mean.";
export const prompt = "Drop a file here, or choose one.";
export const withoutScript = "Without JavaScript, only a file up to the size limit of a form can be sent.";
export const upload = "Upload";
export const noFile = "Choose a file first.";
export const emptyFile = "The file is empty. Choose another one.";
export const wrongSize = "The size of the file is not known. Choose the file again.";
export const uploaded = "The file has arrived.";

export const waiting = "Files that wait";
export const waitingDescription = "They are deleted a day after they were last used.";
export const size = "Size";
export const arrived = "Arrived";
export const isIncomplete = "incomplete";
export const isWhole = "ready";
export const state = "State";
export const deleted = "The file is deleted.";
export const deleteFile = "Delete";

export const imports = "Imports so far";
export const fileName = "File";
export const into = "Into";
export const suppressions = "Suppressions";
export const rows = "Rows";
export const added = "Added";
export const recorded = "Recorded";
export const rejected = "Rejected";
export const by = "By";
export const started = "Started";
export const isRunning = "not finished";
export const deletedList = "a deleted list";
export const newest = "The newest first";
export const none = "Nothing was imported yet";
export const noneText = "An import appears here with who made it, when, and what became of each row.";
export const noneForViewers = "Editors of this account can import files.";
