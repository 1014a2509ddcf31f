import type { SkipReason } from "#domain/sending/recipient.ts";

export const title = "Recipients";
export const all = "All";
export const state = "State";
export const show = "Show";
export const email = "E-mail";
export const at = "Since";
export const code = "Code";
export const why = "Reply or reason";
export const erased = "erased";
export const of = (count: string, total: string): string => `${count} of ${total}`;
export const none = "No recipients";
export const nobody = "No recipient is in this state.";
export const notYet = "The recipients are selected when the campaign starts.";
export const purged = "The results of single recipients are no longer stored, only the totals.";
export const skipped: Readonly<Record<SkipReason, string>> = {
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
  "left the lists": "Left the lists",
  "on an excluded list": "On an excluded list",
  erased: "Erased",
  "needs SMTPUTF8": "The relay does not support SMTPUTF8",
  "cannot be rendered": "The message cannot be rendered",
  "message too large": "The message is too large",
};
