/** A pull of many people that is killed again and again takes everybody exactly once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { SubscriberCounts } from "#domain/import/batch.ts";
import { Installation } from "../cli/program.ts";
import { ListmonkServer, manySubscribers, TOKEN, USER } from "./listmonk-server.ts";

const PEOPLE = 100_000;
const KILLS = 10;
/** Alone on the machine, it takes less than a minute. */
const timeout = 5 * 60_000;

interface PulledList {
  readonly counts: SubscriberCounts;
}

const home = new Installation();
const listmonk = new ListmonkServer();
after(async () => {
  await listmonk.stop();
  await home.remove();
});

let words: readonly string[];
before(async () => {
  const url = await listmonk.start();
  const tokenFile = join(home.folder, "token.txt");
  writeFileSync(tokenFile, TOKEN);
  await home.output("account", "create", "Acme");
  listmonk.lists = [
    { id: 1, name: "News", optin: "single" },
    { id: 2, name: "Offers", optin: "double" },
  ];
  listmonk.subscribers = manySubscribers(PEOPLE);
  words = ["pull", "listmonk", url, "--user", USER, "--token", tokenFile];
});

/** Ends the pull with SIGKILL when it has made so many requests. */
async function killAfter(requests: number): Promise<void> {
  let asked = 0;
  const child = home.start(words);
  listmonk.intercept = () => {
    asked += 1;
    if (asked === requests) child.kill("SIGKILL");
    return false;
  };
  await once(child, "exit");
  listmonk.intercept = () => false;
  assert.ok(asked >= requests, `ended after ${asked} requests`);
}
const importsOf = async () =>
  JSON.parse(await home.output("import", "list", "--json")) as {
    readonly endedAt: string | null;
    readonly rowCount: number;
  }[];

async function killAgainAndAgain(): Promise<void> {
  let savedBefore = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    // The first has also read all attributes.
    await killAfter((kill === 0 ? PEOPLE / 50 : 0) + 130 + kill * 17);
    const imports = await importsOf();
    assert.ok(imports.every(({ endedAt }) => endedAt === null));
    const rows = imports.reduce((sum, { rowCount }) => sum + rowCount, 0);
    assert.ok(rows > savedBefore, `${rows} rows after ${savedBefore}`);
    savedBefore = rows;
  }
}

test("a pull of 100,000 people continues where it was killed, ten times, and is exact", {
  timeout,
}, async () => {
  await killAgainAndAgain();
  const { code, out, err } = await home.run([...words, "--json"]);
  assert.equal(code, 0, err);
  const { lists } = JSON.parse(out) as { readonly lists: readonly PulledList[] };
  const all = listmonk.subscribers;
  const on = (list: 1 | 2, status: string): number =>
    all.filter((one) => one.status === "enabled" && one.lists[list] === status).length;
  const among = (list: 1 | 2, state: string): number =>
    all.filter((one) => one.status === state && one.lists[list] !== undefined).length;
  const [news, offers] = lists;
  assert.ok(news !== undefined && offers !== undefined);
  assert.deepEqual(
    [
      news.counts.newSubscribers + offers.counts.newSubscribers,
      news.counts.added,
      news.counts.leftSince,
      news.counts.alreadyThere,
    ],
    [PEOPLE, on(1, "confirmed"), on(1, "unsubscribed"), 0],
  );
  const { blocked, unsubscribed } = news.counts.suppressed;
  assert.deepEqual([blocked, unsubscribed], [among(1, "blocklisted"), among(1, "disabled")]);
  const unconfirmed = all.filter((one) => one.lists[2] === "unconfirmed").length;
  assert.deepEqual([offers.counts.added, offers.counts.rejected], [on(2, "confirmed"), unconfirmed]);
  // Every value and every opt-out was set once: nothing was updated when a part was read again.
  assert.deepEqual([news.counts.updated, offers.counts.updated.values], [{ subscribers: 0, values: 0 }, 0]);
  const [one, other] = JSON.parse(await home.output("list", "list", "--json")) as { memberCount: number }[];
  assert.deepEqual([one?.memberCount, other?.memberCount], [on(1, "confirmed"), on(2, "confirmed")]);
  const imports = await importsOf();
  assert.deepEqual([imports.length, imports.filter(({ endedAt }) => endedAt === null)], [3, []]);
  assert.equal((await home.run(["doctor"])).code, 0);
});
