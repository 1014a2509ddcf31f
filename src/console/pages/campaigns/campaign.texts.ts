import type { CampaignEvent } from "#domain/campaign.ts";
import { quoted } from "#html/names.ts";

export const campaigns = "Campaigns";
export const parts = "Parts of the campaign";
export const results = "Results";
export const progress = "Progress";
export const recipients = "Recipients";
export const notSent = "Not sent";
export const sent = (at: string): string => `Sent on ${at}`;
export const created = (at: string): string => `Created on ${at}`;
export const change = "Change";
export const remove = "Delete";
export const more = "More";

/** In the order in which they are shown. */
export const kinds = {
  unsubscribed: {
    title: "Unsubscribed",
    path: "unsubscribed",
    description: "People who unsubscribed because of this campaign, the first one first.",
    nobody: "Nobody has unsubscribed because of this campaign.",
    at: "Unsubscribed",
  },
  bounced: {
    title: "Bounced",
    path: "bounced",
    description: "People whose mail server permanently rejected the campaign, the first one first.",
    nobody: "No mail of this campaign has bounced.",
    at: "Bounced",
  },
  complained: {
    title: "Complained",
    path: "complained",
    description: "People who reported the campaign as spam, the first one first.",
    nobody: "Nobody has reported this campaign as spam.",
    at: "Complained",
  },
} as const satisfies Record<CampaignEvent, object>;

export const moreThan = (count: string): string => `more than ${count}`;

export const perDay = "Results per day";
export const day = "Day";
export const outside = (count: string): string =>
  count === "1" ? "1 more result is of another day." : `${count} more results are of other days.`;
export const cut = (most: string, day: string): string =>
  `Per day, the first ${most} results of each kind are counted: from ${day} on, there may be more than is shown.`;
export const allDays = "Show all days";
export const fewDays = "Show the first 30 days";
export const nothingTitle = "No results yet";
export const nothing =
  "Unsubscribes, hard bounces and complaints appear here when an unsubscribe link is used, or when a program reports them over the API.";

export const lists = "Sent to";
export const listsDescription = "The lists have the names from when the campaign was recorded.";
export const sentListsDescription = "The lists have the names from when the campaign was started.";
export const list = "List";
export const members = "Active subscribers now";
export const deleted = "deleted";
export const noLists = "No list is recorded.";

export const email = "E-mail";
export const name = "Name";
export const joined = "Joined";
export const people = (count: string, all: string): string => `${count} of ${all}`;
export const emptyTitle = "No results";

export const changeTitle = (called: string): string => `Change ${quoted(called)}`;
export const save = "Save";
export const cancel = "Cancel";
export const saved = "The campaign is changed.";

export const deleteTitle = (called: string): string => `Delete ${quoted(called)}`;
export const deleteQuestion = "Delete this campaign and its results?";
export const affected = (count: string): string =>
  count === "0"
    ? "It has no results."
    : count === "1"
      ? "1 result is deleted."
      : `${count} results are deleted.`;
export const moreAffected = (count: string): string => `More than ${count} results are deleted.`;
export const goes = (counts: readonly string[]): string =>
  `The campaign and its results are deleted: ${counts.join(", ")}.`;
export const stays =
  "No subscriber changes. People who unsubscribed, bounced or complained stay suppressed, with their history.";
export const noReturn = "This cannot be undone.";
export const confirmDelete = "Delete the campaign";
export const wasDeleted = (called: string): string => `The campaign ${quoted(called)} is deleted.`;

export const clear = {
  open: "Clear these bounces",
  title: "Clear bounces",
  nobody: "Nobody is suppressed",
  nobodyText: "Nobody is suppressed any more because of a bounce in this campaign.",
  question: "Clear the bounces that this campaign has caused?",
  affected: (count: string): string => `${count} ${count === "1" ? "subscriber" : "subscribers"}`,
  consequences: [
    "Use this if a relay wrongly reported existing addresses as nonexistent. Mail to nonexistent addresses harms the sender's reputation.",
    "They get later campaigns again, unless something else suppresses them. This campaign is sent to them only if you try its failed recipients again.",
  ],
  reason: "Reason",
  reasonHint: "It is stored in the history of each subscriber.",
  since: "Only bounces since",
  sinceHint: (zone: string): string => `Empty: all of them. Time zone: ${zone}.`,
  notATime: "Give a date and a time, or leave it empty.",
  confirm: "Clear bounces",
  cancel: "Cancel",
  done: "The bounces are cleared.",
  begun: "Clearing the bounces has started. This page shows its progress.",
} as const;
