import type { State } from "../../../domain/subscriber/subscriber.ts";

export const title = "Subscribers";
export const description = "Everybody whom this account knows, whether they get mails or not.";
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
export const anyList = "any list";
export const find = "Search";
export const clear = "Clear";

export const address = "Address";
export const state = "State";
export const lists = "Lists";
export const since = "Since";
export const select = (email: string): string => `Select ${email}`;
export const changeSelected = "Change the selected…";
export const changeAll = "Change all that match…";
export const nothingSelected = "Select the people first: each row has a box at its left.";

export const shown = (count: string): string => `${count} on this page`;
export const shownOne = "1 on this page";
export const searchOn = "There may be more: “Next” searches on.";

export const emptyTitle = "Nobody is here yet";
export const emptyText =
  "Import a file with your people, or hand a key to a program that adds them. Each of them then has a page here.";
export const nobodyTitle = "Nobody was found";
export const nobodyText =
  "An address is found by its beginning, a domain with @ before it, a name by the beginning of the first or the last name.";
export const nobodySoFarTitle = "Nobody was found so far";
export const nobodySoFarText = "Only a part of the subscribers was searched.";
export const next = "Search on";

export const notSubscriber = (email: string): string => `${email} is not a subscriber`;
export const canBeAdded = "Nothing speaks against adding the address.";
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
