import type { PlannedNames } from "#domain/import/job.ts";
import { isolated } from "#html/names.ts";

export const title = "Import";
export const steps = ["Upload", "Columns", "Dry run", "Import"] as const;
export const stepsLabel = "Steps of the import";

export const incomplete = "The upload is not complete";
export const arrived = (size: string, of: string | null): string =>
  of === null ? `${size} uploaded so far.` : `${size} of ${of} uploaded so far.`;
export const continueText = "Choose the same file again: the upload continues where it stopped.";
export const file = "The same file";
export const prompt = "Drop the file here, or choose it.";
export const needsScript =
  "Continuing an upload needs JavaScript. Delete this upload and send a smaller file.";
export const otherFile =
  "This is another file than the one whose upload began. Choose that file, or delete this upload and begin again.";
export const isMore = "The rest of the file is missing. Send it first.";

export const unreadable = "This file cannot be imported";
export const unreadableAdvice =
  "If it is a CSV file, choose its encoding and separator below. Otherwise save the table as CSV in your spreadsheet program, and upload that.";
export const emptyFile =
  "The file is empty. Upload one with a row of headings and the rows of people below it.";
export const noHeader = "The first row must name the columns";
export const noHeaderText = (first: string): string =>
  `The first row of this file has an address ("${isolated(first)}"), so it has no headings. Add a row above it, such as: email, first name, last name. Then upload the file again. If you go on, the first row is taken as headings, and the person in it is not imported.`;
export const noAddresses = "No column looks like it contains e-mail addresses";
export const noAddressesText = "Check the separator below, or choose the column yourself.";
export const importedBefore = "A file with this name was imported before";
export const importedBeforeText = (when: string, who: string): string => `${when}, by ${who}.`;
export const waitsTwice = "This file is already uploaded";
export const waitsTwiceText = "A file with the same name and size was uploaded before this one.";
export const look = "Look at it";
export const mislabelled = (lines: string): string =>
  `${lines} lines are not UTF-8 and were read as Western European (Windows-1252). Check names with accents.`;

export const running = "Dry run";
export const runningText = "A dry run changes nothing.";
export const failed = "The dry run could not read the file to its end";
export const importFailed = "The import could not read the file to its end";
export const cancelled = "The dry run was stopped.";
export const isReported = "Dry run finished";
export const reportTitle = "Result of the dry run";
export const report = "Nothing has been changed yet.";
const quoted = (all: readonly string[]): string => all.map((name) => `"${isolated(name)}"`).join(", ");
/** What the import creates first. */
export const planned = (names: PlannedNames | null): readonly string[] =>
  names === null
    ? []
    : [
        ...(names.list === null ? [] : ["The list is new: it is created when the import starts."]),
        ...(names.fields.length === 0
          ? []
          : [
              `The import also creates ${names.fields.length === 1 ? "the field" : "the fields"} ${quoted(names.fields)}; the numbers below do not include their values.`,
            ]),
      ];
export const partial = "The dry run covers the first million rows. The import takes all rows.";
export const into = (list: string): string => `Into the list "${isolated(list)}"`;
export const intoSuppressions = "Addresses not to mail";
export const outcomes = "Outcome";
export const importNow = "Import now";
export const changeSettings = "Change the settings";
export const checkAgain = "Dry run again";
export const importHint = "The import uses the same settings. It continues when you close the page.";
export const noSettings = "The settings of the dry run were not kept. Choose them again.";
export const otherRun = "There was another dry run of this file meanwhile. Check its result first.";
export const samples = "Examples";
export const sampleLine = (line: string): string => `line ${line}`;
export const erasedSamples = "The file is too long to show rows of its later part.";

export const remove = "Delete this file";
export const deleted = "The file is deleted.";
export const stop = "Stop the dry run";
export const stopped = "The dry run stops.";
export const uploadedAt = (size: string, when: string): string => `${size}, uploaded ${when}`;
