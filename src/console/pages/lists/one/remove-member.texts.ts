import { quoted } from "#html/names.ts";

export const title = (list: string): string => `Remove from ${quoted(list)}`;
export const question = (address: string, list: string): string => `Remove ${address} from ${quoted(list)}?`;
export const affected = "1 person";
export const leaves = "The person gets no more mail for this list.";
export const stays = "The person stays in the account and on all other lists, and can be added again.";
export const notUnsubscribed = "To stop all mail, unsubscribe the person on their own page instead.";
export const confirm = "Remove from the list";
export const keep = "Keep";
export const removed = (address: string, list: string): string =>
  `${address} was removed from ${quoted(list)}.`;
