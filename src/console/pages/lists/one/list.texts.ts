import type { State } from "#domain/subscriber/subscriber.ts";

export const facts = (id: string, created: string): string => `ID ${id} · Created ${created}`;
export const add = "Add a subscriber";
export const importInto = "Import";
export const exportIt = "Export";
export const more = "More";
export const rename = "Rename";
export const remove = "Delete";

export const membersNow = "Active members";
export const membersDetail = "get mail";
export const joined = "Joined";
export const left = "Left";
export const overTime = "Active members";

export const members = "Members";
export const states = "States";
export const all = "All";
export const stateNames: Readonly<Record<State, string>> = {
  active: "Active",
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
};
export const address = "Address";
export const addressExample = "e.g. ada or @example.org";
export const name = "Name";
export const nameExample = "e.g. Lovelace";
export const find = "Search";
export const clear = "Clear";
export const state = "State";
export const notConfirmed = "Not confirmed";
export const since = "Member since";
export const takeOff = "Remove from the list";
export const actionsOf = (address: string): string => `Actions for ${address}`;

export const shown = (count: string): string => `${count} on this page`;
export const searchOn = (searched: string): string =>
  `${searched} subscribers were searched. There may be more: “Next” continues the search.`;
export const emptyTitle = "Nobody is on this list yet";
export const empty = "Import a file, add one person, or give an API key to a program that adds people.";
export const emptyViewer = "A user with the role editor can add or import people.";
export const nobodyTitle = "Nobody found";
export const nobody =
  "Type the beginning of an address, @ and a domain, or the beginning of a first or last name.";
export const nobodySoFarTitle = "Nobody found so far";
export const nobodySoFar = (searched: string): string =>
  `${searched} subscribers were searched, which is only a part of them.`;
export const next = "Continue the search";
