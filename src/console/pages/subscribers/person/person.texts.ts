import type { CampaignEvent } from "../../../../domain/campaign.ts";
import type { SuppressionKind } from "../../../../domain/subscriber/subscriber.ts";

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
export const onNoListText = "Nothing stands against mails. Add the person to a list below.";
export const pendingOnly = "Gets no mail yet";
export const pendingText = "The person has not confirmed the membership.";
export const notMailed = "Gets no mail";
export const since = "since";
const began: Readonly<Record<SuppressionKind, string>> = {
  blocked: "The address is on the block list",
  complained: "The person complained about mails",
  unsubscribed: "The person unsubscribed",
  bounced: "The address bounced",
};
export const causeUnknown = (kind: SuppressionKind): string => began[kind];
export const suspended = "The memberships are suspended. They return when nothing of this holds any more.";

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
export const joinedAt = "since";
export const membership = "Membership";
export const memberships = { active: "Active", pending: "Not confirmed", suspended: "Suspended" };
export const remove = "Remove";
export const removed = (list: string): string => `Removed from the list “${list}”.`;
export const addTo = "Add to a list";
export const add = "Add";
export const added = (list: string): string => `Added to the list “${list}”.`;
export const addedPending = (list: string): string =>
  `Is on the list “${list}” already, and has not confirmed that yet.`;
export const choose = "choose…";
export const chooseFirst = "Choose the list.";
export const noLists = "On no list.";
export const cannotBeAdded = "While one of the reasons above holds, the person cannot be added to lists.";

export const results = "Campaigns";
export const resultsDescription = "What the person did after a campaign was sent.";
export const campaign = "Campaign";
export const event = "Result";
export const events: Readonly<Record<CampaignEvent, string>> = {
  unsubscribe: "Unsubscribed",
  "hard-bounce": "Bounced",
  complaint: "Complained",
};
export const when = "When";
export const allResults = "All results";

export const history = "What happened";
export const historyDescription = "The newest first, with who or what was behind it.";
export const allHistory = "Everything that happened";
export const noHistory = "Nothing is recorded.";
