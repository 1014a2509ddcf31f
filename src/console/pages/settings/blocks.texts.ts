export const title = "Block list";
export const explained =
  "A blocked address cannot be added to a list. Subscribers with such an address get no mail.";
export const pattern = "Address or domain";
export const patternHint =
  "One address such as ada@example.org, or @example.org for every address of a domain.";
export const check = "Continue";
export const addTitle = "Block an address or a domain";
export const listTitle = "Blocked";
export const since = "Since";
export const kind = "Covers";
export const oneAddress = "One address";
export const wholeDomain = "Every address of the domain";
export const remove = "Remove";
export const removeLabel = (one: string): string => `Remove ${one}`;
export const emptyTitle = "Nothing is blocked";
export const emptyText =
  "Block an address or a whole domain, such as that of a competitor or of throw-away addresses, to keep it off all lists.";
export const shown = (count: string): string => (count === "1" ? "1 entry" : `${count} entries`);

export const addQuestion = (one: string): string => `Block ${one}?`;
export const removeQuestion = (one: string): string => `Remove the block of ${one}?`;
export const nobody = "No subscriber has such an address at present.";
export const oneCovered = "1 subscriber has this address.";
export const covered = (count: string): string => `${count} subscribers have such an address.`;
export const atLeast = (count: string): string => `At least ${count} subscribers have such an address.`;
export const addConsequences = [
  "They get no mail from now on. For many subscribers, a job does this within minutes.",
  "Calls and imports that add such an address are refused as blocked.",
  "Nothing is deleted. When the block is removed, they get mail again.",
];
export const removeConsequences = [
  "Subscribers who have no other suppression become active again, on the same lists.",
  "Calls and imports can add such an address again.",
  "Subscribers who unsubscribed, bounced or complained stay suppressed.",
];
export const add = "Block";
export const removeNow = "Remove the block";
export const cancel = "Cancel";
export const added = (one: string): string => `${one} is blocked.`;
export const existed = (one: string): string => `${one} was blocked already.`;
export const removed = (one: string): string => `${one} is no longer blocked.`;
export const addedByJob = (one: string): string =>
  `${one} is blocked. A job applies this to the subscribers.`;
export const removedByJob = (one: string): string =>
  `${one} is no longer blocked. A job makes the subscribers active again.`;
