export const title = (list: string): string => `Add a subscriber to “${list}”`;
export const description =
  "Somebody who has unsubscribed, bounced or complained is not added: that can be undone on the page of the person.";
export const address = "E-mail address";
export const addressExample = "e.g. ada@example.org";
export const firstName = "First name";
export const lastName = "Last name";
export const fields = "Custom fields";
export const moreFields = (count: string): string =>
  `Only the first ${count} fields are shown. Give the others a value on the page of the person.`;
export const add = "Add";
export const added = (address: string, list: string): string => `${address} is on “${list}”.`;
export const pending = (address: string, list: string): string =>
  `${address} is on “${list}” already, and has not confirmed it yet.`;
