export const title = (list: string): string => `Remove from “${list}”`;
export const question = (address: string, list: string): string => `Remove ${address} from “${list}”?`;
export const affected = "1 person";
export const leaves = "The person leaves this list, and gets nothing more that is sent to it.";
export const stays = "The person stays in the account and on all other lists, and can be added again.";
export const notUnsubscribed = "This is not an unsubscription: for that, use the page of the person.";
export const confirm = "Remove from the list";
export const keep = "Keep";
export const removed = (address: string, list: string): string => `${address} was removed from “${list}”.`;
