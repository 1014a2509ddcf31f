export const title = "Search";
export const found = (text: string): string => `Results for “${text}”`;
export const ask = "What are you looking for?";
export const askText =
  "Type the beginning of an address, of the name of a list, campaign or key, the first characters of a key, or the number of a refused call. The key / leads to the field at the top.";
export const nothing = (text: string): string => `Nothing begins with “${text}”`;
export const nothingText =
  "The search finds subscribers by address, lists, campaigns and keys by name, keys also by their first characters, and refused calls by number. People are also found by name, on the page of subscribers.";
export const toSubscribers = "Search among subscribers";
export const limited = (count: string): string => `At most ${count} of each kind are shown.`;

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
