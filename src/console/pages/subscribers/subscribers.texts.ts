import type { State } from "#domain/subscriber/subscriber.ts";

export const title = "Subscribers";
export const description = "Everybody in this account, whether they get mail or not.";
export const importPeople = "Import";
export const tabs = "States";
export const all = "All";
export const states: Readonly<Record<State, string>> = {
  active: "Active",
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
};

export const search = "Address";
export const searchExample = "e.g. ada or @example.org";
export const name = "Name";
export const nameExample = "e.g. Lovelace";
export const list = "List";
export const anyList = "Any list";
export const find = "Search";
export const clear = "Clear";

export const address = "Address";
export const state = "State";
export const lists = "Lists";
export const since = "Subscriber since";
export const select = (email: string): string => `Select ${email}`;
export const changeSelected = "Change the selected…";
export const changeAll = "Change all that match…";
export const nothingSelected = "Select people first, with the boxes on the left.";

export const shown = (count: string): string => `${count} on this page`;
export const shownOne = "1 on this page";
export const searchOn = (searched: string): string =>
  `${searched} subscribers were searched. There may be more: “Next” continues the search.`;

export const emptyTitle = "No subscribers yet";
export const emptyText = "Import a file, or give an API key to a program that adds people.";
export const nobodyTitle = "Nobody found";
export const nobodyText =
  "Type the beginning of an address, @ and a domain, or the beginning of a first or last name.";
export const nobodySoFarTitle = "Nobody found so far";
export const nobodySoFarText = (searched: string): string =>
  `${searched} subscribers were searched, which is only a part of them.`;
export const next = "Continue the search";

export const notSubscriber = (email: string): string => `${email} is not a subscriber`;
export const canBeAdded = "The address can be added or imported.";
export const cannotBeAdded = "The address cannot be added or imported:";
export const blockedBy = "The block list contains";
export const blockedSince = "since";
export const stillHolds: Readonly<Record<State, string>> = {
  active: "",
  unsubscribed: "The person had unsubscribed and was erased. The address stays unsubscribed, since",
  bounced: "The address had bounced and its subscriber was erased. It stays bounced, since",
  complained: "The person had complained and was erased. That stays in force, since",
  blocked: "The address was blocked and its subscriber was erased. It stays blocked, since",
};
