import { quoted } from "#html/names.ts";

export const title = "Account";
export const number = "Account number";
export const name = "Name";
export const country = "Country";
export const anyCountry = "None";
export const countryHint = "For telephone numbers that are written without a country code.";
export const subscribers = "Active subscribers";
export const ofLimit = (count: string, limit: string): string => `${count} of at most ${limit}`;
export const subscriberLimit = "Limit of active subscribers";
export const fieldLimit = "Limit of custom fields";
export const limitHint = "Empty for no limit.";
export const noLimit = "No limit";
export const created = "Created";

export const rename = "Name of the account";
export const save = "Save";
export const renamed = "The account is renamed.";
export const limits = "Country and limits";
export const limitsDescription = "Only administrators of the installation can change them.";
export const changed = "The settings of the account are saved.";

export const deletion = "Delete the account";
export const deletionDescription = "Erases everything in the account. You confirm it on the next page.";
export const goToDeletion = "Delete the account…";

export const deleteTitle = (account: string): string => `Delete the account ${quoted(account)}`;
export const affected = (count: string): string => `${count} active subscribers`;
export const consequences = [
  "All subscribers are erased, with their data and history. Their unsubscribes, bounces and complaints are forgotten as well.",
  "Lists, custom fields, campaigns, imports, refused calls, the block list and the audit log of the account are deleted.",
  "The API keys stop working at once: every integration of the account fails from then on.",
  "Users lose their role in the account. Users without another role can still sign in, but see nothing.",
  "This cannot be undone. Only a backup brings it back.",
];
export const typeName = "Type the name of the account to confirm";
export const deleteNow = "Delete everything";
export const cancel = "Keep the account";
export const deleted = (account: string): string =>
  `The account ${quoted(account)} is deleted. A job erases the rest of its data.`;
