/** What happened to a subscriber, over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { actor, addressOf, NOW } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
let id: number;
before(async () => {
  api = await startApi();
  const { id: account } = await api.store.accounts.create({ name: "Acme", at: 1 });
  const of = actor(api.store, account);
  const list = await of.list();
  // 120 entries.
  for (let n = 0; n < 60; n += 1) {
    await of.add(list, "ada@example.org", NOW + 2 * n);
    await of.remove(list, "ada@example.org", NOW + 2 * n + 1);
  }
  for (let n = 0; n < 60; n += 1) await of.event(await of.campaign([list]), "complained", "ada@example.org");
  id = (await api.store.subscribers.find({ account, address: addressOf("ada@example.org") }))?.id ?? 0;
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

interface Item {
  readonly at: string;
  readonly campaign: { readonly id: string } | null;
}
interface Page {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly previous: string | null;
}
const read = async <Reply>(path: string): Promise<Reply> => {
  const response = await api.send("GET", `/accounts/1/subscribers/${id}${path}`, { token: "viewer" });
  assert.equal(response.status, 200);
  return (await response.json()) as Reply;
};
async function readAll(path: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let page = await read<Page>(`${path}?limit=50`);
  items.push(...page.items);
  while (page.next !== null) {
    const following = await read<Page>(`${path}?limit=50&after=${page.next}`);
    const back = await read<Page>(`${path}?limit=50&before=${following.previous}`);
    assert.deepEqual(back.items, page.items);
    items.push(...following.items);
    page = following;
  }
  return items;
}

test("a subscriber has the newest of the history and of the results, and says that there is more", async () => {
  const shown = await read<{
    readonly history: readonly Item[];
    readonly hasMoreHistory: boolean;
    readonly campaignResults: readonly Item[];
    readonly hasMoreCampaignResults: boolean;
  }>("");
  const [history, results] = [await readAll("/history"), await readAll("/campaign-results")];
  assert.deepEqual([shown.hasMoreHistory, shown.hasMoreCampaignResults], [true, true]);
  assert.deepEqual(shown.history, history.slice(0, 50));
  assert.deepEqual(shown.campaignResults, results.slice(0, 50));
});

test("all of the history and of the results are read in pages, in both directions, the newest first", async () => {
  const history = await readAll("/history");
  const first = history.slice(-120).map(({ at }) => Date.parse(at));
  assert.deepEqual(first, Array.from({ length: 120 }, (_, n) => NOW + n).toReversed());
  const campaigns = (await readAll("/campaign-results")).map(({ campaign }) => Number(campaign?.id));
  assert.deepEqual(campaigns, Array.from({ length: 60 }, (_, n) => n + 1).toReversed());
});

test("a page stays where it was while entries are added", async () => {
  const first = await read<Page>("/history?limit=10");
  const second = await read<Page>(`/history?limit=10&after=${first.next}`);
  await actor(api.store, 1).event(1, "unsubscribed", "ada@example.org");
  assert.deepEqual((await read<Page>(`/history?limit=10&after=${first.next}`)).items, second.items);
});

test("the history of somebody who does not exist is 404, and another listing's cursor is refused", async () => {
  for (const path of ["history", "campaign-results"]) {
    const missing = await api.send("GET", `/accounts/1/subscribers/99/${path}`, { token: "viewer" });
    assert.equal(missing.status, 404);
  }
  const { next } = await read<Page>("/campaign-results?limit=10");
  const wrong = await api.send("GET", `/accounts/1/subscribers/${id}/history?after=${next}`, {
    token: "viewer",
  });
  assert.equal(wrong.status, 400);
});
