import type { ClearableSuppression } from "../../../../../domain/subscriber/subscriber.ts";

export const title = "Reactivate";
export const description =
  "Only if the person asked for it. The reason stays in the history, and the person can ask to see it.";
export const suppression = "What no longer holds";
export const suppressions: Readonly<Record<ClearableSuppression, string>> = {
  unsubscribed: "The person unsubscribed",
  bounced: "The address bounced",
  complained: "The person complained",
};
export const since = (time: string): string => `since ${time}`;
export const reason = "Reason";
export const reasonHint = "For example: asked by mail on 14 November.";
export const chooseFirst = "Choose what no longer holds.";
export const confirm = "Reactivate";
export const cancel = "Cancel";
export const done = "The person is active again. The memberships are back in effect.";
export const stillHeld = (state: string): string =>
  `That is cleared. The person is still ${state}, so gets no mail.`;
export const blockedTitle = "The address is also blocked";
export const blockedText = "Only the block list can change that:";
export const blockList = "Open the block list";
export const nothingTitle = "There is nothing to reactivate";
export const nothingText = "The person has not unsubscribed, bounced or complained.";
