/** What callers are told over a database: two that hold the same give the same bytes. */
import { call, KEY, startService, withKey } from "../service.ts";

/** What the service answers over the database, without what differs from start to start. */
export async function answersOver(database: string): Promise<readonly string[]> {
  const service = await startService({ database });
  try {
    const answers: string[] = [];
    const ask = async (operation: string, params = withKey()) => {
      const { body } = await call(service, operation, params);
      answers.push(body.replaceAll(service.origin, "ORIGIN"));
    };
    await ask("Client.TestApiConnection");
    await ask("Client.TestApiConnection", withKey("", `${KEY}-REVOKED`));
    await ask("Client.GetSubscribersLists");
    await ask("Client.GetSubscribersLists", withKey("", "ANOTHER-KEY"));
    await ask("Field.GetFields");
    await ask("Client.GetCampaignsList");
    await ask("Client.GetLastSentCampaign");
    for (const list of ["SubscribersLists", "UnsubscribesList", "HardBouncesList"])
      await ask(`Campaign.Get${list}`, withKey("<CampaignID>1</CampaignID>"));
    return answers;
  } finally {
    await service.close();
  }
}
