export const title = "Account";
export const number = "Account number";
export const name = "Name";
export const country = "Country";
export const anyCountry = "none";
export const countryHint = "For telephone numbers that are written without a country code.";
export const subscribers = "Active subscribers";
export const ofLimit = (count: string, limit: string): string => `${count} of at most ${limit}`;
export const subscriberLimit = "Limit of active subscribers";
export const fieldLimit = "Limit of custom fields";
export const limitHint = "Empty for no limit.";
export const noLimit = "no limit";
export const created = "Created";

export const rename = "Name of the account";
export const save = "Save";
export const renamed = "The account has its new name.";
export const limits = "Country and limits";
export const limitsDescription = "Only administrators of the installation change them.";
export const changed = "The settings of the account are saved.";

export const deletion = "Delete the account";
export const deletionDescription =
  "Erases everything that belongs to the account. The next page asks once more.";
export const goToDeletion = "Delete the account…";

export const deleteTitle = (account: string): string => `Delete the account “${account}”`;
export const affected = (count: string): string => `${count} active subscribers`;
export const consequences = [
  "They and everybody who has unsubscribed, bounced or complained are erased, with their data and history. Nobody is remembered as unsubscribed any more.",
  "Lists, custom fields, campaigns, imports, refused calls, the block list and the audit log of the account are deleted.",
  "The API keys stop working at once: every integration of the account fails from then on.",
  "Users lose their role in the account. Users who have no other role can still sign in, and see nothing.",
  "This cannot be undone. Only a backup brings it back.",
];
export const typeName = "Type the name of the account to confirm";
export const deleteNow = "Delete everything";
export const cancel = "Keep the account";
export const deleted = (account: string): string =>
  `The account “${account}” is deleted. What is left of it is erased by a job.`;
