/** Over SOAP, a campaign that is composed here does not exist before its first message is handed over. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { emptyContent } from "#domain/sending/mailing.ts";
import { call, startService, withKey } from "../service.ts";
import { senderValues } from "../store/sender-values.ts";

const ACCOUNT = 1;
const LIST = 1;
const DEADLINE_MS = 20_000;

test("a draft is on no list of campaigns and unknown by its id, until its first message is sent", async (t) => {
  const service = await startService();
  t.after(() => service.close());
  const { store } = service;
  const add = `<SubscribersListID>${LIST}</SubscribersListID><EMail>ada@example.org</EMail>`;
  assert.equal((await call(service, "Subscriber.Add", withKey(add))).status, 200);
  const now = Date.now();
  const recorded = { account: ACCOUNT, name: "Recorded", lists: [LIST], createdAt: now, sentAt: null };
  assert.ok("id" in (await store.campaigns.record(recorded)));
  const relays = [{ url: `file:${join(service.folder, "sent")}`, weight: 1, allowsInner: true }];
  const signing = { signing: "relay", dkimKey: null, dkimDomain: null, dkimSelector: null } as const;
  const values = { ...senderValues, ...signing, bounceDomain: null, relays };
  const sender = await store.senders.create({ account: ACCOUNT, ...values, createdAt: now });
  const text = "Hello. To leave: {{ unsubscribe_url }} {{ postal_address }}";
  const content = { ...emptyContent, sender: sender.id, subject: "Hello", text, lists: [LIST] };
  const made = await store.mailings.create({ account: ACCOUNT, name: "Composed", content, at: now });
  assert.ok("campaign" in made);
  const campaign = made.campaign.id;
  const listed = async () => (await call(service, "Client.GetCampaignsList", withKey())).body;
  const last = async () => (await call(service, "Client.GetLastSentCampaign", withKey())).body;
  const ofOne = () =>
    Promise.all(
      ["GetSubscribersLists", "GetUnsubscribesList", "GetHardBouncesList"].map((name) =>
        call(service, `Campaign.${name}`, withKey(`<CampaignID>${campaign}</CampaignID>`)),
      ),
    );

  assert.match(await listed(), /<Name>Recorded<\/Name>/);
  assert.doesNotMatch((await listed()) + (await last()), /Composed/);
  for (const { code } of await ofOne()) assert.equal(code, "UnknownCampaign");
  const later = now + 3_600_000;
  const one = { account: ACCOUNT, campaign, now, allowsHttp: true };
  await store.mailings.change({ ...one, change: "schedule", at: later });
  assert.doesNotMatch(await listed(), /Composed/, "it is scheduled");

  await store.mailings.change({ ...one, change: "schedule", at: now });
  while (!/<Name>Composed<\/Name>/.test(await listed())) {
    const mailing = (await store.mailings.byId({ account: ACCOUNT, campaign }))?.mailing;
    assert.ok(Date.now() < now + DEADLINE_MS, JSON.stringify(mailing));
    await delay(50);
  }
  assert.match(await last(), /<Name>Composed<\/Name>.*<SentDate>\d{4}-/s);
  for (const { code } of await ofOne()) assert.equal(code, null);
});
