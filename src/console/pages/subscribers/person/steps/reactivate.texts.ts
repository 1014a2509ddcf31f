import type { ClearableSuppression } from "#domain/subscriber/subscriber.ts";

export const title = "Reactivate";
export const description =
  "Only if the person asked for it. The reason is kept in the history, which the person may ask to see.";
export const suppression = "What to undo";
export const suppressions: Readonly<Record<ClearableSuppression, string>> = {
  unsubscribed: "The person unsubscribed",
  bounced: "The address bounced",
  complained: "The person complained",
};
export const since = (time: string): string => `since ${time}`;
export const reason = "Reason";
export const reasonHint = "For example: asked by phone on 14 November.";
export const chooseFirst = "Choose what to undo.";
export const confirm = "Reactivate";
export const cancel = "Cancel";
export const done = "The person is active again. The lists are the same as before.";
export const stillHeld = (state: string): string =>
  `That is undone. The person is still ${state} and gets no mail.`;
export const blockedTitle = "The address is also blocked";
export const blockedText = "Remove it from the block list first:";
export const blockList = "Open the block list";
export const nothingTitle = "There is nothing to reactivate";
export const nothingText = "The person has not unsubscribed, bounced or complained.";
