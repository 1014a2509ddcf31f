import { quoted } from "#html/names.ts";

export const title = "Search";
export const found = (text: string): string => `Results for ${quoted(text)}`;
export const ask = "What are you looking for?";
export const askText =
  "Type the beginning of an address or of the name of a list, campaign or API key, or the number of a refused call. Press / to jump to the search field.";
export const nothing = (text: string): string => `Nothing begins with ${quoted(text)}`;
export const nothingText =
  "This search covers addresses, lists, campaigns, API keys and refused calls. To find people by name, search among the subscribers.";
export const toSubscribers = "Search among subscribers";
export const limited = (count: string): string => `Up to ${count} of each kind.`;

export const subscribers = "Subscribers";
export const address = "Address";
export const state = "State";
export const lists = "Lists";
export const list = "List";
export const members = "Active members";
export const campaigns = "Campaigns";
export const campaign = "Campaign";
export const sent = "Sent";
export const notSent = "not sent";
export const keys = "Integrations";
export const key = "API key";
export const hint = "Begins with";
export const lastUsed = "Last call";
export const never = "never";
export const unnamed = (hint: string): string => `Key ${hint}…`;
export const refused = "Refused calls";
export const call = "Refused call";
export const callName = (id: string): string => `Refused call ${id}`;
export const operation = "Operation";
export const lastAt = "Last time";
