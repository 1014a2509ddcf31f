import type { BulkChange } from "../../../domain/subscriber/bulk-change.ts";

export const title = "Change many subscribers";
export const back = "Subscribers";
export const count = (number: string, isMore: boolean): string =>
  `This concerns ${isMore ? `at least ${number}` : number} ${number === "1" && !isMore ? "subscriber" : "subscribers"}`;
export const everybody = "You have not searched for anybody: this is every subscriber of the account.";
export const sample = "Some of them";
export const only = (number: string): string => `These are the first ${number} of them.`;
export const address = "Address";
export const state = "State";

export const what = "What to do";
export const kinds: Readonly<Record<BulkChange["kind"], readonly [label: string, hint: string]>> = {
  add: ["Add to a list", "People who have unsubscribed, bounced, complained or are blocked are not added."],
  remove: ["Remove from a list", "They stay subscribers, and can be added again."],
  unsubscribe: [
    "Unsubscribe from all lists",
    "They get no mail any more. Each can only be reactivated one by one, with a reason.",
  ],
};
export const list = "List";
export const listHint = "For adding and removing.";
export const chooseList = "choose…";
export const chooseListFirst = "Choose the list.";
export const chooseKind = "Choose what to do.";
export const yesAll = "Yes, I mean every subscriber of the account.";
export const sayAll = "Say that you mean every subscriber, or go back and search first.";
export const start = "Change them";
export const cancel = "Cancel";

export const nobodyTitle = "Nobody is left to change";
export const nobodyText = "The search finds nobody now, or the people were erased meanwhile.";
export const tooMany = "Too many people are selected. Search for them and change all that match instead.";

export const started = "The change has begun. This page shows how far it is.";
export const startedElsewhere = "The change has begun and goes on by itself.";
export const changed = (number: string): string => `${number} changed`;
export const unchanged = (number: string): string => `${number} needed no change`;
export const refused = (number: string, why: string): string => `${number} refused: ${why}`;
