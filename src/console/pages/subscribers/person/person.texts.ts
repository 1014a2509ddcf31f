import type { CampaignEvent } from "#domain/campaign.ts";
import type { SuppressionKind } from "#domain/subscriber/subscriber.ts";
import { quoted } from "#html/names.ts";

export const back = "Subscribers";
export const edit = "Edit";
export const more = "More";
export const download = "Download everything";
export const unsubscribe = "Unsubscribe…";
export const reactivate = "Reactivate…";
export const erase = "Erase…";

export const mailed = (lists: string): string => `Gets mail: ${lists}`;
export const onLists = (count: number, number: string): string =>
  count === 1 ? "on one list" : `on ${number} lists`;
export const onNoList = "Gets no mail: on no list";
export const onNoListText = "Add the person to a list below to send them mail.";
export const pendingOnly = "Gets no mail yet";
export const pendingText = "The person has not confirmed the subscription.";
export const notMailed = "Gets no mail";
export const since = "since";
const began: Readonly<Record<SuppressionKind, string>> = {
  blocked: "The address is on the block list",
  complained: "The person complained about mail",
  unsubscribed: "The person unsubscribed",
  bounced: "The address bounced",
};
export const causeUnknown = (kind: SuppressionKind): string => began[kind];
export const suspended = "The memberships are suspended until the person is active again.";

export const data = "Data";
export const address = "Address";
export const basics = {
  firstName: "First name",
  lastName: "Last name",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
};
export const knownSince = "Subscriber since";

export const lists = "Lists";
export const list = "List";
export const joinedAt = "Member since";
export const membership = "Membership";
export const memberships = { active: "Active", pending: "Not confirmed", suspended: "Suspended" };
export const remove = "Remove";
export const removed = (list: string): string => `Removed from the list ${quoted(list)}.`;
export const addTo = "Add to a list";
export const add = "Add";
export const added = (list: string): string => `Added to the list ${quoted(list)}.`;
export const addedPending = (list: string): string =>
  `The person is already on the list ${quoted(list)}, but has not confirmed it yet.`;
export const choose = "Choose…";
export const chooseFirst = "Choose a list.";
export const noLists = "Not on any list.";
export const cannotBeAdded = "The person cannot be added to lists until they are active again.";

export const results = "Campaign results";
export const resultsDescription = "Unsubscribes, bounces and complaints after campaigns.";
export const campaign = "Campaign";
export const event = "Result";
export const events: Readonly<Record<CampaignEvent, string>> = {
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
};
export const when = "When";
export const allResults = "All results";

export const history = "History";
export const historyDescription = "The newest first, with the person or program behind each change.";
export const allHistory = "Full history";
export const noHistory = "Nothing is recorded yet.";
