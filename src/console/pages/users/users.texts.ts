import type { Role } from "../../../domain/access/role.ts";

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
  viewer: "Sees everything but users and the audit log, and changes nothing.",
  editor: "Also changes subscribers and lists, imports, and answers refused calls.",
  owner: "Also manages keys, fields and users, and reads the audit log.",
  administrator: "Everything, in every account and in the installation.",
};
export const noRole = "No role";
export const inAccount = (held: string, account: string): string => `${held} of ${account}`;
export const accountNumber = (id: number): string => `account ${id}`;

export const newTitle = "Add a user";
export const newDescription =
  "You get a link with which the person signs in and sets a password. Send it in a way that only they can read.";
export const newOfInstallation =
  "The user has no role at first. Give one on the next page, or make the user an administrator.";
export const nameHint = "Colleagues see it beside what the person has changed.";
export const create = "Add";
export const created = (address: string): string => `${address} is added.`;
export const existed = (address: string): string =>
  `${address} had a user already, who has a role in this account now.`;

export const linkTitle = "Sign-in link";
export const linkFor = (address: string): string => `Link for ${address}`;
export const linkAdvice = (until: string): string =>
  `It works once, until ${until}. Whoever opens it is signed in as this user, so send it to nobody else. It is not stored and never shown again.`;
export const linkNeedsCode =
  "The user has a second factor, so the link also asks for a code. If telephone and recovery codes are lost, reset the second factor on the page of the user.";
export const linkDescription =
  "Signs the user in once, within 15 minutes. For somebody who has no password yet, or has forgotten it. A second factor stays: the link asks for its code.";
export const makeLink = "Make a sign-in link";
export const done = "Done";
