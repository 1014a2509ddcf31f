/** What the running service does by itself now and then. */
import assert from "node:assert/strict";
import { test } from "node:test";
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
  let now = Date.now();
  const clock = () => now;
  const first = await startService({}, clock);
  t.after(() => first.close());
  await refuse(first);
  await first.stop();
  now += 100 * DAY_MS;
  const service = await startService({ database: `sqlite:${first.folder}/m.db` }, clock);
  t.after(() => service.close());
  while ((await refusedCalls(service)) > 0);
  assert.equal(await refusedCalls(service), 0);
});
