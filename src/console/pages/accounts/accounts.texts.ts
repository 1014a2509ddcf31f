import { quoted } from "#html/names.ts";

export const title = "Accounts";
export const description = "Each account has its own lists, subscribers, API keys and users.";
export const account = "Account";
export const active = "Active subscribers";
export const created = "Created";
export const id = "ID";
export const count = (shown: string): string => (shown === "1" ? "1 account" : `${shown} accounts`);
export const noneTitle = "You have no role in any account yet";
export const none =
  "Ask an administrator, or the owner of an account, to give you one. Then open this page again.";
export const firstTitle = "There is no account yet";
export const first =
  "An account holds lists, subscribers, API keys and users. Most installations have one, with the name of the organisation. Create it below.";

export const create = "Create an account";
export const name = "Name";
export const nameHint = "For example the name of your organisation. You can change it later.";
export const submit = "Create the account";
export const isCreated = (name: string): string => `The account ${quoted(name)} was created.`;
