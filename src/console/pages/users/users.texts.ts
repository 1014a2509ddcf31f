import type { Role } from "#domain/access/role.ts";

export const title = "Users";
export const email = "E-mail address";
export const name = "Name";
export const role = "Role";
export const factor = "Second factor";
export const state = "State";
export const invite = "Add a user";
export const you = "You";
export const active = "Active";
export const invited = "No password yet";
export const disabled = "Disabled";
export const on = "On";
export const off = "Off";
export const shown = (count: string): string => `${count} shown`;
export const emptyTitle = "Nobody has a role in this account yet";
export const emptyText =
  "Only administrators see the account. Add the people who work with it, each under their own name.";

export const roleNames: Readonly<Record<Role, string>> = {
  viewer: "Viewer",
  editor: "Editor",
  owner: "Owner",
  administrator: "Administrator",
};
export const roleHints: Readonly<Record<Role, string>> = {
  viewer: "Can see everything except users and the audit log, and change nothing.",
  editor: "Can also change subscribers and lists, import files, and replay or dismiss refused calls.",
  owner: "Can also manage keys, fields and users, and see the audit log.",
  administrator: "Can do everything, in every account and in the installation.",
};
export const noRole = "No role";
export const inAccount = (held: string, account: string): string => `${held} of ${account}`;
export const accountNumber = (id: number): string => `account ${id}`;

export const newTitle = "Add a user";
export const newDescription =
  "You get a sign-in link for the new user, who then sets a password. Send it over a safe channel.";
export const newOfInstallation =
  "The user has no role at first. Give one on the next page, or make the user an administrator.";
export const nameHint = "Shown to colleagues beside the changes of this user.";
export const create = "Add";
export const created = (address: string): string => `${address} is added.`;
export const existed = (address: string): string =>
  `${address} was a user already, and now has a role in this account.`;

export const linkTitle = "Sign-in link";
export const linkFor = (address: string): string => `Link for ${address}`;
export const linkAdvice = (until: string): string =>
  `It works once, until ${until}. Anyone who opens it is signed in as this user, so send it only to them. It is not stored and never shown again.`;
export const linkNeedsCode =
  "The user has a second factor, so the link also asks for a code. If phone and recovery codes are lost, reset the second factor on the page of the user.";
export const linkDescription =
  "Signs the user in once, within 15 minutes. For a user who has no password yet, or has forgotten it. A second factor stays: the link asks for its code.";
export const makeLink = "Make a sign-in link";
export const done = "Done";
