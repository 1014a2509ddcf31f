import { quoted } from "#html/names.ts";

export const title = "Campaigns";
export const description = "What goes to your lists, and who unsubscribed, bounced or complained.";
export const campaign = "Campaign";
export const state = "State";
export const sent = "Sent";
export const notSent = "Not sent";
export const isRecorded = "Recorded";
export const more = "More";
export const create = "New campaign";
export const unsubscribed = "Unsubscribed";
export const bounced = "Bounced";
export const complained = "Complained";
export const orMore = (number: string): string => `${number} or more`;
export const count = (number: string): string => (number === "1" ? "1 campaign" : `${number} campaigns`);

export const emptyTitle = "No campaign yet";
export const empty =
  "Compose a campaign, and Mailroll sends it to your lists. If another tool sends it, record it here: then its unsubscribes, bounces and complaints are counted, too.";
export const emptyForViewers =
  "When an editor composes or records a campaign, its progress, unsubscribes, bounces and complaints appear here.";

export const record = "Record a campaign";
export const recordDescription =
  "For a campaign that another tool has sent or will send. Mailroll does not send it.";
export const name = "Name";
export const namePlaceholder = "e.g. Spring offers";
export const lists = "Lists";
export const listsHint = "The lists that the campaign is sent to, with the names they have now.";
export const members = (number: string): string => `${number} active`;
export const furtherLists = "Ids of further lists";
export const furtherListsHint = (shown: string): string =>
  `The account has more lists than the ${shown} above. Separate ids with commas.`;
export const sentAt = "Sent at";
export const sentAtHint = (zone: string): string =>
  `In ${zone}. Leave it empty if the campaign is not sent yet.`;
export const createdAt = "Created at";
export const createdAtHint = "If empty: the time it was sent, or now.";
export const notATime = "Enter a date and a time, such as 2026-11-01 09:30.";
export const notAnId = (text: string): string => `${quoted(text)} is not the id of a list.`;
export const save = "Record";
export const cancel = "Cancel";
export const recorded = (called: string): string => `The campaign ${quoted(called)} is recorded.`;
export const noListsTitle = "Create a list first";
export const noLists = "A campaign goes to lists, and this account has none yet.";
export const toLists = "Go to the lists";
