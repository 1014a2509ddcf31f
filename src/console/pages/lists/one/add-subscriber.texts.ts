import { quoted } from "#html/names.ts";

export const title = (list: string): string => `Add a subscriber to ${quoted(list)}`;
export const description =
  "People who unsubscribed, bounced or complained cannot be added. Reactivate them on their own page first.";
export const address = "E-mail address";
export const addressExample = "e.g. ada@example.org";
export const firstName = "First name";
export const lastName = "Last name";
export const fields = "Custom fields";
export const moreFields = (count: string): string =>
  `Only the first ${count} fields are shown. Fill in the others on the person’s page.`;
export const add = "Add";
export const added = (address: string, list: string): string => `${address} is on ${quoted(list)}.`;
export const pending = (address: string, list: string): string =>
  `${address} is already on ${quoted(list)}, but has not confirmed it yet.`;
