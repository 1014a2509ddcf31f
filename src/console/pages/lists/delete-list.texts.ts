import { quoted } from "#html/names.ts";

export const title = (list: string): string => `Delete ${quoted(list)}`;
export const question = (list: string): string => `Delete the list ${quoted(list)}?`;
export const affected = (members: string): string => `${members} members leave it`;
export const one = "1 member leaves it";
export const nobody = "It has no members";
export const peopleStay =
  "The people stay in the account, with their data, their history and their other lists.";
export const growthGoes = "The growth statistics of this list are deleted.";
export const noCampaigns = "No campaign was recorded for it.";
export const campaigns = (count: string, isOne: boolean, hasMore: boolean): string =>
  `${hasMore ? "At least " : ""}${count} ${isOne ? "campaign was" : "campaigns were"} recorded for it. ${isOne && !hasMore ? "It stays" : "They stay"}, with the name of the list.`;
export const calls = (id: string): string =>
  `Calls from programs that still use its ID (${id}) will be refused.`;
export const noWayBack = "This cannot be undone. An export keeps a copy of its members.";
export const exportFirst = "Export first";
export const confirm = "Delete the list";
export const keep = "Keep it";
export const deleted = (list: string): string =>
  `The list ${quoted(list)} was deleted. Its people stay in the account.`;
export const begun = (list: string): string =>
  `The list ${quoted(list)} is being deleted. Nobody can be added to it any more.`;
