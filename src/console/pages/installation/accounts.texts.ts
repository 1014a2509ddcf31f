export const title = "Accounts";
export const description = "Those in which you have a role.";
export const account = "Account";
export const number = "Number";
export const subscribers = "Active subscribers";
export const limit = "Limit";
export const noLimit = "none";
export const created = "Created";
export const shown = (count: string): string => `${count} shown`;
export const emptyTitle = "There is no account yet";
export const emptyText =
  "An account has its own lists, subscribers, keys and users. Create the first one below.";
export const noneTitle = "You have no role in any account yet";
export const noneText = "Ask an administrator or the owner of an account to give you one.";
export const newTitle = "Create an account";
export const newDescription =
  "Accounts are isolated from each other: no key and no owner sees anything of another.";
export const name = "Name";
export const create = "Create";
export const wasCreated = (name: string): string => `The account “${name}” is created.`;
