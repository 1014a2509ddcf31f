import type { BulkChange } from "#domain/subscriber/bulk-change.ts";

export const title = "Change many subscribers";
export const back = "Subscribers";
export const count = (number: string, isMore: boolean): string =>
  `${isMore ? `At least ${number}` : number} ${number === "1" && !isMore ? "subscriber" : "subscribers"}`;
export const everybody = "No filter is set: this is every subscriber of the account.";
export const sample = "Some of them";
export const only = (number: string): string => `The first ${number} are shown.`;
export const address = "Address";
export const state = "State";

export const what = "What to do";
export const kinds: Readonly<Record<BulkChange["kind"], readonly [label: string, hint: string]>> = {
  add: ["Add to a list", "People who have unsubscribed, bounced, complained or are blocked are not added."],
  remove: ["Remove from a list", "They stay in the account and can be added again."],
  unsubscribe: [
    "Unsubscribe from all lists",
    "They get no more mail. They can only be reactivated one by one, with a reason.",
  ],
};
export const list = "List";
export const listHint = "To add to or remove from.";
export const chooseList = "Choose…";
export const chooseListFirst = "Choose a list.";
export const chooseKind = "Choose what to do.";
export const yesAll = "Yes, I mean every subscriber of the account.";
export const sayAll = "Confirm that you mean every subscriber, or go back and search first.";
export const start = "Change them";
export const cancel = "Cancel";
export const dryRun = "Dry run";
export const dryRunFound = (number: string): string =>
  `${number} match. Nothing was changed; if the numbers are right, start the change below.`;
export const dryRunEnded = "The dry run has ended without a result. Start it again.";

export const nobodyTitle = "Nobody is left to change";
export const nobodyText = "The search finds nobody any more, or the people were erased.";
export const tooMany = "Too many people are selected. Search for them and change all that match instead.";

export const started = "The change has started. This page shows its progress.";
export const startedElsewhere = "The change has started and continues in the background.";
export const changed = (number: string): string => `${number} changed`;
export const unchanged = (number: string): string => `${number} needed no change`;
export const refused = (number: string, why: string): string => `${number} refused: ${why}`;
