/** A service with a campaign to two lists, and the links of the people who got it. */
import assert from "node:assert/strict";
import { collect } from "#domain/paging.ts";
import { makeToken } from "#unsubscribe/token.ts";
import { type Received, type Sent, sendRequest } from "../send-request.ts";
import { call, startService, withKey } from "../service.ts";
import { actor, addressOf } from "../store/actor.ts";

export const SENT = Date.UTC(2026, 2, 3, 7, 15);
export const JOINED = SENT - 86_400_000;
const MINUTE = 60_000;

/** `flags` are settings of the service; `log` gets its lines. */
export async function startUnsubscribeService(
  flags: Readonly<Record<string, string>> = {},
  log?: Parameters<typeof startService>[3],
) {
  let now = SENT + MINUTE;
  const clocks = { wall: () => now, monotonic: () => performance.now() };
  const service = await startService(flags, clocks, undefined, log);
  const { store } = service;
  const account = 1;
  const a = actor(store, account);
  const [news, offers, other] = [await a.list("News"), await a.list("Offers"), await a.list("Other")];
  const campaign = await a.campaign([news, offers], SENT, SENT);
  const secret = await store.unsubscribeLinks.secretOf({ account });
  assert.ok(secret);

  const subscriberOf = async (email: string): Promise<number> => {
    const found = await store.subscribers.find({ account, address: addressOf(email) });
    assert.ok(found, email);
    return found.id;
  };
  /** On both lists of the campaign, and on another one. */
  const join = async (email: string, lists = [news, offers, other]): Promise<string> => {
    for (const list of lists) assert.equal(await a.add(list, email, JOINED), "Done");
    return tokenOf(email);
  };
  const tokenOf = async (email: string, of = campaign): Promise<string> =>
    makeToken(secret, { account, campaign: of, subscriber: await subscriberOf(email) });

  const send = (token: string, sent: Sent = {}, more = ""): Promise<Received> =>
    sendRequest(`${service.origin}/u/${token}${more}`, sent);
  return {
    service,
    store,
    account,
    a,
    secret,
    campaign,
    lists: { news, offers, other },
    join,
    tokenOf,
    subscriberOf,
    get: (token: string, more = ""): Promise<Received> => send(token, {}, more),
    post: (token: string, more = "", sent: Sent = {}): Promise<Received> =>
      send(token, { ...sent, method: "POST" }, more),
    /** Moves the clock on. */
    passMinutes: (minutes: number): void => {
      now += minutes * MINUTE;
    },
    now: () => now,
    /** The addresses that the SOAP operation lists. */
    unsubscribes: async (of = campaign): Promise<readonly string[]> => {
      const { body } = await call(
        service,
        "Campaign.GetUnsubscribesList",
        withKey(`<CampaignID>${of}</CampaignID>`),
      );
      return [...body.matchAll(/<EMail>([^<]*)<\/EMail>/g)].map(([, email = ""]) => email);
    },
    /** What the SOAP operation answers: 0, or why not. */
    soapAdd: async (email: string, list = news): Promise<string | null> => {
      const params = `<SubscribersListID>${list}</SubscribersListID><EMail>${email}</EMail>`;
      return (await call(service, "Subscriber.Add", withKey(params))).result;
    },
    soapUnsubscribe: async (email: string): Promise<string | null> =>
      (await call(service, "Subscriber.Unsubscribe", withKey(`<EMail>${email}</EMail>`))).result,
    /** State, lists with the times of joining, and history, in short. */
    person: async (email: string) => {
      const found = await store.subscribers.byAddress({ account, address: addressOf(email) });
      assert.ok(found, email);
      return {
        state: found.state,
        lists: found.lists.map(({ name, joinedAt }) => [name, joinedAt] as const),
        history: found.history.map(({ kind, origin }) => `${kind} by ${origin.kind}`),
      };
    },
    members: async (): Promise<Readonly<Record<string, number>>> =>
      Object.fromEntries(
        (await collect(store.lists.all.pages({ account }))).map(({ name, members }) => [name, members]),
      ),
  };
}
export type UnsubscribeService = Awaited<ReturnType<typeof startUnsubscribeService>>;
