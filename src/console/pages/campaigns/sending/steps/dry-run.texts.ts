import type { DurationLimit } from "#domain/sending/dry-run.ts";
import { quoted } from "#html/names.ts";

export const title = (called: string): string => `Dry run of ${quoted(called)}`;
export const description =
  "Renders the message of every recipient and sends none. It reports empty merge fields, messages that are too large or cannot be rendered, and who is left out.";
export const start = "Start the dry run";
export const again = "Repeat the dry run";
export const started = "The dry run has started.";
export const outdated = "If the draft or the lists have changed since, repeat it.";

export const failed = "The dry run failed";
export const cancelled = "The dry run was cancelled";
export const ranAt = "Ended";
export const people = "On the lists";
export const recipients = "Recipients";
export const leftOutCount = "Left out";
export const duration = "Takes at least";
export const limitedBy: Readonly<Record<DurationLimit, string>> = {
  perSecond: "because of the sender’s limit per second",
  perDomainMinute: "because of the sender’s limit per domain",
  perDay: "because of the sender’s limit per day",
  rendering: "to make the messages; the relay may be slower",
};
export const fine = "No problem was found";
export const notFine = "Look at what was found before you send it";

export const problems = "Problems";
export const problemNames: Readonly<Record<string, string>> = {
  "long line": "A line is too long",
  large: "The message is large",
  "refused value": "A value is not allowed where it stands, and is left out",
  "joined links": "Two links of the plain text run into each other",
  "needs SMTPUTF8": "The relay must support SMTPUTF8; otherwise they get nothing",
  "not rendered": "The message cannot be rendered; they get nothing",
};
export const emptyFields = "Empty merge fields";
export const emptyFieldsHint = 'Add a default, such as {{ first_name | default: "friend" }}.';
export const leftOut = "Left out";
export const leftOutNames: Readonly<Record<string, string>> = {
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
  "on an excluded list": "On an excluded list",
};
export const what = "What";
export const count = "Subscribers";
export const examples = "For example";
export const erased = (id: string): string => `subscriber ${id}`;
export const characters = (count: string): string => `up to ${count} characters`;
export const upTo = (size: string): string => `up to ${size}`;

export const seconds = (count: number): string => (count === 1 ? "1 second" : `${count} seconds`);
export const minutes = (count: number): string => (count === 1 ? "1 minute" : `${count} minutes`);
export const hours = (count: number): string => (count === 1 ? "1 hour" : `${count} hours`);
export const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`);
