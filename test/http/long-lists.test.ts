/** Limits for long lists: a share for each account, over SOAP and JSON, and eviction of stalled ones. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import { Admission } from "#admission/admission.ts";
import { type Limits, limitsFor } from "#admission/limits.ts";
import { type ListSlot, STALLED_MS } from "#admission/list-slots.ts";
import { Fault } from "#contract/faults.ts";
import { storedForm } from "#domain/access/key.ts";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { call, KEY, type Service, startService, withKey } from "../service.ts";

const FIELDS = 1200;
const OTHER_KEY = "FEDCBA9876543210FEDCBA9876543210";

/**
 * Two accounts with the same number of fields. Their listings stop after two pages until the test continues
 * them.
 */
async function start(t: TestContext, limits: Partial<Limits>) {
  const service = await startService({ "metrics-port": "0" }, Date.now, { ...limitsFor(65_536), ...limits });
  t.after(() => service.close());
  const { store } = service;
  const { id } = await store.accounts.create({ name: "Other", at: 1 });
  await store.keys.create({
    account: id,
    ...storedForm(OTHER_KEY),
    label: "other",
    scope: "read",
    expiresAt: null,
    at: 1,
  });
  for (const account of [1, id]) {
    await store.accounts.set({ id: account, settings: { limitFields: null } });
    await Promise.all(
      Array.from({ length: FIELDS }, (_, n) =>
        store.fields.add({
          account,
          at: 1,
          origin: { kind: "import", batch: null },
          recordedCall: null,
          field: { name: `F${n}`, type: "STRING", isPrivate: false },
        }),
      ),
    );
  }
  const gate = Promise.withResolvers<void>();
  const lists = { begun: 0, over: 0 };
  const pages = store.fields.all.pages.bind(store.fields.all);
  store.fields.all.pages = async function* (...given: Parameters<typeof pages>) {
    lists.begun += 1;
    let read = 0;
    try {
      for await (const page of pages(...given)) {
        if (read === 2) await gate.promise;
        read += 1;
        yield page;
      }
    } finally {
      lists.over += 1;
    }
  } as typeof pages;
  return { service, lists, open: gate.resolve };
}

async function numbersOf({ metricsPort }: Service) {
  const families = parseOpenMetrics(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
  return {
    lists: valueIn(families, "mailroll_lists_streaming"),
    throttled: valueIn(families, "mailroll_throttled_total", { cause: "lists" }),
  };
}

const soap = async (service: Service, key: string) => {
  const { code, body } = await call(service, "Field.GetFields", withKey("", key));
  return { code, rows: body.split("<FieldId>").length - 1 };
};
const json = async ({ origin }: Service, key: string) => {
  const response = await fetch(`${origin}/api/v1/fields`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  const { error, items } = JSON.parse(text) as {
    readonly error?: { readonly code: string };
    readonly items?: readonly unknown[];
  };
  return { code: error?.code ?? null, rows: items?.length ?? 0 };
};

test("limits the concurrent long lists of one account, over SOAP and JSON together, and leaves the rest to others", async (t) => {
  const { service, lists, open } = await start(t, { lists: 4, listsPerAccount: 2 });
  const taken = async (count: number): Promise<void> => {
    while ((await numbersOf(service)).lists < count);
  };
  const admitted = [soap(service, KEY), json(service, KEY)];
  await taken(2);
  for (const ask of [soap, json]) assert.equal((await ask(service, KEY)).code, "Throttled");
  assert.deepEqual(lists, { begun: 4, over: 2 }, "a rejected list is released");
  admitted.push(soap(service, OTHER_KEY), json(service, OTHER_KEY));
  await taken(4);
  assert.deepEqual(await numbersOf(service), { lists: 4, throttled: 2 });
  open();
  for (const { code, rows } of await Promise.all(admitted)) assert.deepEqual([code, rows], [null, FIELDS]);
  assert.deepEqual(await numbersOf(service), { lists: 0, throttled: 2 });
  assert.deepEqual(await json(service, KEY), { code: null, rows: FIELDS });
});

test("limits all long lists where the share of an account is larger than the total", async (t) => {
  const { service, open } = await start(t, { lists: 1, listsPerAccount: 2 });
  const admitted = json(service, KEY);
  while ((await numbersOf(service)).lists < 1);
  assert.equal((await soap(service, OTHER_KEY)).code, "Throttled");
  assert.equal((await json(service, OTHER_KEY)).code, "Throttled");
  open();
  assert.equal((await admitted).rows, FIELDS);
});

test("frees the slot of a JSON list whose client disconnects, and takes none for a single page", async (t) => {
  const { service, lists, open } = await start(t, { lists: 1, listsPerAccount: 1 });
  const { id } = await service.store.accounts.create({ name: "Small", at: 1 });
  const key = "00112233445566778899AABBCCDDEEFF";
  await service.store.keys.create({
    account: id,
    ...storedForm(key),
    label: "small",
    scope: "read",
    expiresAt: null,
    at: 1,
  });
  const request = get(`${service.origin}/api/v1/fields`, { headers: { Authorization: `Bearer ${KEY}` } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  assert.equal(response.statusCode, 200);
  assert.equal((await numbersOf(service)).lists, 1);
  assert.deepEqual(await json(service, key), { code: null, rows: 0 });
  response.destroy();
  open();
  while ((await numbersOf(service)).lists > 0);
  assert.equal(lists.begun, lists.over);
});

/** null if it was shed. */
function slotOf(admission: Admission, account: number | string): ListSlot | null {
  try {
    return admission.takeListSlot(account);
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === "Throttled");
    return null;
  }
}

test("counts slots by account, and keeps no record of accounts without any", () => {
  const admission = new Admission({ ...limitsFor(1), lists: 10, listsPerAccount: 2 });
  for (let account = 0; account < 1000; account += 1) {
    const slots = [1, 2, 3].map(() => slotOf(admission, account));
    assert.deepEqual(
      slots.map((slot) => slot === null),
      [false, false, true],
    );
    for (const slot of slots) slot?.release();
  }
  assert.deepEqual([admission.lists, admission.shed.lists], [0, 1000]);
});

/** Three slots, two per account. Each admitted list is sending, and records in `ended` when it is ended. */
function sendingLists() {
  const clock = { now: 0 };
  const admission = new Admission({ ...limitsFor(1), lists: 3, listsPerAccount: 2 }, () => clock.now);
  const ended: string[] = [];
  const take = (account: string, name: string): ListSlot | null => {
    const slot = slotOf(admission, account);
    slot?.sending(() => ended.push(name));
    clock.now += 1;
    return slot;
  };
  return { clock, admission, ended, take };
}

test("ends the longest stalled list of an account for a new one of the same account", () => {
  const { clock, admission, ended, take } = sendingLists();
  take("other", "other's");
  take("own", "first");
  take("own", "second");
  assert.equal(take("own", "third"), null);
  clock.now += STALLED_MS;
  assert.notEqual(take("own", "third"), null);
  assert.deepEqual(ended, ["first"]);
  assert.deepEqual([admission.lists, admission.shed.lists], [3, 1]);
});

test("ends the longest stalled list of any account for a new one where all slots are taken", () => {
  const { clock, admission, ended, take } = sendingLists();
  const [oldest] = [take("a", "a's"), take("b", "b's"), take("c", "c's")];
  assert.equal(take("d", "d's"), null);
  clock.now += STALLED_MS;
  // The client of the oldest list has read something meanwhile. It waits for the database, so it is not
  // stalled.
  oldest?.sent();
  assert.notEqual(take("d", "d's"), null);
  assert.deepEqual(ended, ["b's"]);
  assert.notEqual(take("e", "e's"), null);
  assert.deepEqual(ended, ["b's", "c's"]);
  assert.equal(take("f", "f's"), null, "the others have made progress within ten seconds");
  assert.equal(admission.lists, 3);
});
