/** What a file means: the texts of its form. */
import { isolated } from "#html/names.ts";

export const columns = "Columns";
export const columnsDescription =
  "Choose what each column of the file means. Mailroll has filled in its guesses: check them.";
export const heading = "In the file";
export const examples = "Examples";
export const becomes = "Import as";
export const becomesOf = (heading: string): string => `Import the column "${isolated(heading)}" as`;
export const noHeading = (place: number): string => `Column ${place}`;
export const ignored = "Do not import";
export const newField = "New text field with this name";
export const standard = "Standard fields";
export const fields = "Custom fields";
export const others = "Other";
/** By the names of columns in the layer. */
export const standardColumns: Readonly<Record<string, string>> = {
  email: "E-mail address",
  first_name: "First name",
  last_name: "Last name",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
  subscribed_at: "Date of subscription",
  state: "State (active, unsubscribed …)",
  unsubscribed_at: "Date of unsubscription",
  bounced_at: "Date of a bounce",
  complained_at: "Date of a complaint",
  blocked_at: "Date of a block",
};
/** Of suppressions, whose columns are found by their headings. */
export const suppressionColumns: Readonly<Record<string, string>> = {
  email: "Address or domain",
  kind: "Reason",
  date: "Since",
};

export const dates = "Dates";
export const datesOf = (heading: string): string => `How the dates of "${isolated(heading)}" are written`;
export const recognise = "Detect";
export const dayFirst = "Day first: 31/12/2026";
export const monthFirst = "Month first: 12/31/2026";
export const yearFirst = "Year first";
export const recognised = { dmy: "Day first", mdy: "Month first" } as const;
export const ambiguous =
  "These dates can be read in two ways. Choose whether the day or the month comes first.";
export const mixed =
  "Some of these dates have the day first, others the month. Correct the file, or choose one: rows with the other are rejected.";

export const noEmail = "Choose the column that contains the e-mail addresses.";
export const twice = (what: string, others: string): string =>
  `${what} is chosen for two columns, also for ${others}. Choose "Do not import" for one of them.`;
export const sameHeading = (heading: string): string =>
  `Several columns of the file have the heading "${isolated(heading)}", so they are ambiguous. Give them different headings in the file, or choose the same for all of them.`;

export const target = "Import into";
export const list = "List";
export const newList = "A new list …";
export const chooseList = "Choose a list";
export const newListName = "Name of the new list";
export const newListHint = "It is created when the import starts.";
export const noList = "Choose a list, or a new one.";
export const noListName = "Give the new list a name.";
export const values = "If a subscriber already has a different value";
export const keep = "Keep the existing value";
export const keepHint =
  "Values from earlier imports are replaced. Values entered in the console or by a program stay.";
export const overwrite = "Use the value from the file";
export const overwriteHint = "Empty cells replace nothing.";

export const as = "Why they must not be mailed";
export const asHint = "For rows without a reason of their own.";
export const fromFile = "As the file says (column kind)";
export const kinds = {
  unsubscribed: "They unsubscribed",
  bounced: "Their mail bounced",
  complained: "They reported spam",
  blocked: "Block these addresses or domains",
} as const;

export const check = "Start the dry run";
export const checkHint = "A dry run changes nothing. It shows what the import would do with each row.";
export const contains = "What the file contains";
export const subscribers = "Subscribers";
export const suppressions = "Addresses not to mail";

export const format = "How the file is read";
export const separator = "Separator";
export const encoding = "Encoding";
export const found = (what: string): string => `Detect (${what})`;
export const separators = {
  comma: "Comma",
  semicolon: "Semicolon",
  tab: "Tab",
  pipe: "Vertical bar",
} as const;
export const encodings: Readonly<Record<string, string>> = {
  "utf-8": "UTF-8",
  "windows-1252": "Western European (Windows-1252)",
  "windows-1250": "Central European (Windows-1250)",
  "windows-1251": "Cyrillic (Windows-1251)",
  "utf-16le": "UTF-16",
  macintosh: "Macintosh",
  shift_jis: "Japanese (Shift JIS)",
  gb18030: "Chinese (GB 18030)",
};
export const readAgain = "Read again";
export const firstRows = "The first rows";
export const noRows = "The file has headings, but no rows.";
