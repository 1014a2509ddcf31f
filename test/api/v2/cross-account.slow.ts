/**
 * Nothing of another account is shown or changed, by any route: neither through the path of that account, nor
 * through an id of it in the path of one's own.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { operationId } from "#api/v2/kit/openapi.ts";
import type { JsonSchema } from "#api/v2/reference/example.ts";
import { routes } from "#api/v2/routes.ts";
import { collect } from "#domain/paging.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { exampleFor } from "./contract-requests.ts";
import { newWorld, type World } from "./contract-world.ts";
import { randomOf, validValue } from "./schema-values.ts";

/** In every name and address of the other account, and nowhere else. */
const MARK = "zebra";
let api: ApiServer;
let own: World;
let foreign: World;
/** The own account, with the ids of the other one. */
let mixed: World;
/** The state of the other account. */
let untouched: string;
before(async () => {
  api = await startApi();
  foreign = await newWorld(api.store, MARK);
  own = await newWorld(api.store);
  untouched = await stateOfOther();
  mixed = { ...own, ids: { ...foreign.ids, account: own.account } };
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const inAccount = routes.filter(({ path }) => path.includes("{account}"));
const hasOtherId = (path: string): boolean => /\{(?!account\})/.test(path);
const ownerOf = (world: World) => ({ token: `owner@${world.account}` }) as const;

/** All that the other account has. */
async function stateOfOther(): Promise<string> {
  const { store } = api;
  const { account } = foreign;
  const range = { after: null, limit: 100 };
  const search = { account, address: null, name: null, state: null, list: null, filter: [] };
  return JSON.stringify(
    [
      await store.accounts.byId({ id: account }),
      await store.lists.all.page({ account }, range),
      await store.fields.all.page({ account }, range),
      await store.campaigns.all.page({ account }, range),
      await store.senders.all.page({ account }, range),
      await collect(store.keys.all.pages({ account })),
      await store.blocks.all.page({ account }, range),
      await store.imports.all.page({ account }, range),
      await store.refusals.all.page({ account }, range),
      await store.jobs.all.page({ account }, range),
      await store.subscribers.search.page(search, range),
      await store.audit.all.page({ account, action: null, since: null }, range),
    ],
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
}

/** Sends a request as the owner of the own account; what it replies must be nothing of the other one. */
async function sendAsStranger(method: string, path: string, body: unknown) {
  const response = await api.send(method, path, { ...ownerOf(own), body });
  const text = await response.text();
  assert.ok(!text.toLowerCase().includes(MARK), text);
  assert.ok(response.status < 500, text);
  assert.equal(await stateOfOther(), untouched);
  return { status: response.status, text };
}

describe("somebody without a role in an account", () => {
  for (const route of inAccount) {
    const name = `${operationId(route)} (${route.method} ${route.path})`;

    test(`${name} is forbidden`, async () => {
      const { path, query, body } = exampleFor(foreign, route);
      const { status, text } = await sendAsStranger(route.method, `${path}${query}`, body);
      assert.equal(status, 403, text);
    });

    test(`${name} finds none of its ids in another account`, async () => {
      const { path, query, body } = exampleFor(mixed, route);
      const { status, text } = await sendAsStranger(route.method, `${path}${query}`, body);
      // An owner may not do everything.
      if (hasOtherId(route.path)) assert.ok(status === 404 || status === 403, `${status} ${text}`);
      if (route.body === undefined) return;
      const random = randomOf(routes.indexOf(route) + 1);
      for (let n = 0; n < 3; n += 1)
        await sendAsStranger(route.method, path, validValue(route.body as JsonSchema, random));
    });
  }

  test("is shown nothing of it by a route outside of accounts", async () => {
    for (const route of routes.filter((one) => !inAccount.includes(one) && one.logsIn === undefined)) {
      const { path, query, body } = exampleFor(foreign, route);
      await sendAsStranger(route.method, `${path}${query}`, body);
    }
  });

  test("would be shown it with a role", async () => {
    const shown: string[] = [];
    for (const route of inAccount.filter(({ method }) => method === "GET")) {
      const { path, query } = exampleFor(foreign, route);
      const response = await api.send("GET", `${path}${query}`, ownerOf(foreign));
      const text = await response.text();
      assert.ok(response.ok || response.status === 403, `${operationId(route)}: ${text}`);
      if (text.includes(MARK)) shown.push(operationId(route));
    }
    assert.ok(shown.length > 8, shown.join(", "));
  });
});
