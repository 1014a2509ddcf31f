/** What the running service does by itself now and then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { collect } from "#domain/paging.ts";
import { call, type Service, startService, withKey } from "./service.ts";

const DAY_MS = 86_400_000;
const ACCOUNT = 1;

const refusedCalls = async ({ store }: Service): Promise<number> =>
  (await collect(store.refusals.all.pages({ account: ACCOUNT }))).length;
const refuse = async (service: Service): Promise<void> => {
  const nobody = withKey("<SubscribersListID>1</SubscribersListID><EMail>no address</EMail>");
  assert.notEqual((await call(service, "Subscriber.Add", nobody)).result, "0");
};

test("purges old refused calls", async (t) => {
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const first = await startService({}, clock);
  t.after(() => first.close());
  await refuse(first);
  // One that was interrupted would go on after what it has looked at already.
  while ((await first.store.jobs.left()).some((job) => job.dueAt <= clock())) await delay(20);
  await first.stop();
  ahead = 100 * DAY_MS;
  const service = await startService({ database: `sqlite:${first.folder}/m.db` }, clock);
  t.after(() => service.close());
  // Purging waits for callers, so this one leaves it some time.
  while ((await refusedCalls(service)) > 0) await delay(20);
  assert.equal(await refusedCalls(service), 0);
});
