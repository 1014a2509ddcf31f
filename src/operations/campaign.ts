/** Campaign.*: the lists, unsubscribes and hard bounces of one campaign. */
import { Fault } from "#contract/faults.ts";
import type { Operations } from "#contract/operations.ts";
import type { PreEncoded } from "#contract/service.ts";
import type { Written } from "#contract/xsd.ts";
import type { CampaignEvent, CampaignId, EventSubscriber } from "#domain/campaign.ts";
import type { Caller, Perform, Services } from "./caller.ts";
import { mapPages, orUnavailable } from "./caller.ts";
import { toSubscribersList } from "./client.ts";

/** A draft, and a campaign of another account, are treated as unknown. */
async function existing(given: number | null, { account }: Caller, { store }: Services): Promise<CampaignId> {
  const id = given ?? 0;
  if ((await store.campaigns.visibleById({ account, id })) === null)
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
  return mapPages(services.store.campaigns.targetedLists.pages({ account, campaign }), toSubscribersList);
};

/** The column of a row that each field of a record comes from; the types must match. */
type Sources<R, Row> = {
  readonly [K in keyof R]: { [F in keyof Row]: Row[F] extends R[K] ? F : never }[keyof Row];
};
type Subscriber = Written<Operations["Campaign.GetHardBouncesList"]["result"]>[number];
const sources: Sources<Subscriber, EventSubscriber> = {
  FirstName: "firstName",
  LastName: "lastName",
  EMail: "address",
  SubscribedDate: "joinedAt",
  UnsubscribedDate: "at",
};

async function lost(
  given: number | null,
  event: CampaignEvent,
  caller: Caller,
  services: Services,
): Promise<PreEncoded<Subscriber>> {
  const campaign = await existing(given, caller, services);
  const { account } = caller;
  return {
    encode: (form) => {
      const fields = form.fields.map((field) => ({ ...field, name: sources[field.name] }));
      const args = { account, campaign, event };
      return orUnavailable(services.store.campaigns.subscribersByEvent(args, { ...form, fields }));
    },
  };
}

export const getUnsubscribesList: Perform<"Campaign.GetUnsubscribesList"> = (
  { CampaignID },
  caller,
  services,
) => lost(CampaignID, "unsubscribed", caller, services);

export const getHardBouncesList: Perform<"Campaign.GetHardBouncesList"> = (
  { CampaignID },
  caller,
  services,
) => lost(CampaignID, "bounced", caller, services);
