import type { State } from "../../../../domain/subscriber/subscriber.ts";

export const facts = (id: string, created: string): string => `Id ${id}, created ${created}.`;
export const add = "Add a subscriber";
export const importInto = "Import";
export const exportIt = "Export";
export const more = "More";
export const rename = "Rename";
export const remove = "Delete";

export const membersNow = "Members now";
export const membersDetail = "active, not suspended";
export const joined = "Joined";
export const left = "Left";
export const period = "Period";
export const periods: Readonly<Record<number, string>> = {
  30: "30 days",
  90: "90 days",
  365: "12 months",
};
export const perDay = "Joined and left per day";
export const perWeek = "Joined and left per week";
export const overTime = "Members";
export const day = "Day";
export const week = "Week from";

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
export const nameExample = "e.g. Lovel";
export const find = "Search";
export const clear = "Clear";
export const state = "State";
export const since = "Subscriber since";
export const takeOff = "Remove from the list";
export const actionsOf = (address: string): string => `What to do with ${address}`;

export const shown = (count: string): string => `${count} on this page`;
export const searchOn = "There may be more: “Next” searches on.";
export const emptyTitle = "Nobody is on this list yet";
export const empty = "Add one person, import a file, or hand a key to a program that adds people.";
export const emptyViewer = "Somebody with the role editor can add or import people.";
export const nobodyTitle = "Nobody was found";
export const nobody =
  "An address is found by its beginning, a domain with @ before it, a name by the beginning of the first or the last name.";
export const nobodySoFarTitle = "Nobody was found so far";
export const nobodySoFar = "Only a part of the list was searched.";
export const next = "Search on";
