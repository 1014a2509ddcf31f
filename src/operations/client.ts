/** Client.*: the account's lists and campaigns as records. */
import type { Campaign, TargetedList } from "#domain/campaign.ts";
import type { Perform } from "./caller.ts";
import { mapPages } from "./caller.ts";

const toCampaign = ({ id, name, createdAt, sentAt }: Campaign) => ({
  CampaignID: id,
  Name: name,
  CreationDate: createdAt,
  SentDate: sentAt,
});

export const toSubscribersList = ({ id, name, createdAt, members }: Omit<TargetedList, "isDeleted">) => ({
  SubscribersListID: id,
  Name: name,
  CreationDate: createdAt,
  SubscribersQuantity: members,
});

export const getSubscribersLists: Perform<"Client.GetSubscribersLists"> = async (
  _input,
  { account },
  { store },
) => mapPages(store.lists.all.pages({ account }), toSubscribersList);

export const getCampaignsList: Perform<"Client.GetCampaignsList"> = async (_input, { account }, { store }) =>
  mapPages(store.campaigns.visible.pages({ account }), toCampaign);

export const getLastSentCampaign: Perform<"Client.GetLastSentCampaign"> = async (
  _input,
  { account },
  { store },
) => {
  const campaign = await store.campaigns.lastSent({ account });
  return campaign === null ? null : toCampaign(campaign);
};

/** The guard has authenticated the caller, so the key is valid. */
export const testApiConnection: Perform<"Client.TestApiConnection"> = async () => true;
