/** Campaign.*: one campaign's lists and the people it lost. */
import { Fault } from "../contract/faults.ts";
import type { CampaignEvent, CampaignId, LostSubscriber } from "../domain/campaign.ts";
import type { Caller, Services } from "./caller.ts";
import { toSubscribersList } from "./client.ts";
import { mapPages } from "./pages.ts";
import type { Perform } from "./perform.ts";

/** Another account's campaign is looked up the same way, and is not there either. */
async function existing(given: number | null, { account }: Caller, { store }: Services): Promise<CampaignId> {
  const id = given ?? 0;
  if ((await store.read("campaign", { account, id })) === null)
    throw new Fault(
      "UnknownCampaign",
      `This account has no campaign ${id}. Client.GetCampaignsList gives the ids there are.`,
    );
  return id;
}

export const getSubscribersLists: Perform<"Campaign.GetSubscribersLists"> = async (
  { CampaignID },
  caller,
  services,
) => {
  const campaign = await existing(CampaignID, caller, services);
  const { account } = caller;
  return mapPages(services.store.pages("targetedLists", { account, campaign }), toSubscribersList);
};

const toSubscriber = ({ firstName, lastName, address, joinedAt, at }: LostSubscriber) => ({
  FirstName: firstName,
  LastName: lastName,
  EMail: address,
  SubscribedDate: joinedAt,
  UnsubscribedDate: at,
});

async function lost(given: number | null, event: CampaignEvent, caller: Caller, services: Services) {
  const campaign = await existing(given, caller, services);
  const { account } = caller;
  return mapPages(services.store.pages("lostSubscribers", { account, campaign, event }), toSubscriber);
}

export const getUnsubscribesList: Perform<"Campaign.GetUnsubscribesList"> = (
  { CampaignID },
  caller,
  services,
) => lost(CampaignID, "unsubscribe", caller, services);

export const getHardBouncesList: Perform<"Campaign.GetHardBouncesList"> = (
  { CampaignID },
  caller,
  services,
) => lost(CampaignID, "hard-bounce", caller, services);
