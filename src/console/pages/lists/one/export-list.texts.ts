import type { exportStates } from "#admin/export.ts";
import type { SeparatorWord } from "#api/v2/kit/separators.ts";
import { quoted } from "#html/names.ts";

export const title = (list: string): string => `Export ${quoted(list)}`;
export const description =
  "A CSV file with the addresses, names, custom fields and states of the members. A file with everybody can be imported again.";
export const state = "Members to export";
export const states: Readonly<Record<(typeof exportStates)[number], string>> = {
  active: "Active members",
  pending: "Members who have not confirmed yet",
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
  all: "Everybody",
};
export const separator = "Separator";
export const separatorHint = "Excel in many European countries expects a semicolon.";
export const separators: Readonly<Record<SeparatorWord, string>> = {
  comma: "Comma  ,",
  semicolon: "Semicolon  ;",
  tab: "Tab",
  pipe: "Pipe  |",
};
export const forSpreadsheet = "For a spreadsheet";
export const forSpreadsheetHint =
  "Marks the file as UTF-8, and puts a ' before cells that a spreadsheet would run as formulas. Switch it off for a file that you want to import again.";
export const download = "Download the CSV file";
