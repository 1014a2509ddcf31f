import type { CheckName } from "#admin/campaigns/sending/checks.ts";
import { quoted } from "#html/names.ts";

export const title = (called: string): string => `Send ${quoted(called)}`;
export const checkTitle = (called: string): string => `Check ${quoted(called)}`;
export const readyTitle = "Everything is in place";
export const warningTitle = "It can be sent, but look at the warnings";
export const failedTitle = (count: string): string =>
  count === "1"
    ? "1 check failed, so it cannot be sent yet"
    : `${count} checks failed, so it cannot be sent yet`;
export const checks = "Checks";
export const check = "Check";
export const result = "Result";
export const found = "Found";
export const statuses = { passed: "Passed", warning: "Warning", failed: "Failed" } as const;
export const nameOf = (name: CheckName): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
export const again = "Check again";
export const allowHttp = "Check again, and allow http links (only for trying out)";
export const edit = "Edit";
export const preview = "Preview";
export const dryRun = "Dry run";

export const when = "When";
export const now = "Now";
export const nowHint = "It starts within a few seconds. You can pause it at any time.";
export const later = "Later";
export const laterHint = "Until then you can unschedule it.";
export const at = "Start at";
export const atHint = (zone: string): string => `In ${zone}.`;
export const notATime = "Enter a date and a time, such as 2026-11-01 09:30.";
export const inThePast = "Enter a time in the future, or choose “Now”.";
export const httpAllowed = "Links in the messages may be http. Only for trying out.";
export const consequence = (lists: string): string =>
  `Active subscribers of ${lists} get a real message. A sent message cannot be recalled.`;
export const listCount = (count: number): string => (count === 1 ? "1 list" : `${count} lists`);
export const send = "Send the campaign";
export const cancel = "Cancel";
export const onlyOwners = "A user with the role owner can send it.";
export const started = "The campaign starts within a few seconds.";
export const changed =
  "Somebody has changed the campaign since you opened this page, so nothing was done. The checks on this page are about what it says now. Look at the preview before you send it.";
export const scheduled = (when: string): string => `The campaign is scheduled for ${when}.`;

/** In place of advice that is about the command line. */
export const advice: Readonly<Partial<Record<CheckName, string>>> = {
  "base address":
    "Set MAILROLL_BASE_URL to an https address, such as https://mail.example.org, and restart the service.",
  sender: "Choose a sender.",
  "postal address": "Give the sender a postal address.",
  signature: "Let Mailroll sign the messages of this sender, or declare that the relay does.",
  lists: "Choose at least one list that exists.",
  subject: "Correct it, then look at the preview.",
  content: "Correct it, then look at the preview.",
  "unsubscribe link": "Correct it, then look at the preview.",
};
export const toSenders = "Go to the senders";
