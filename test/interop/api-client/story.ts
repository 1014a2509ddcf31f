/**
 * What a program does with a client that is generated from the OpenAPI document. Environment variables: API
 * is the address, ACCOUNT the id of an account, and TOKEN the token of an owner of it.
 */
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "./generated/api.ts";

const { API: baseUrl = "", ACCOUNT: account = "", TOKEN: token = "" } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
const inAccount = { path: { account } };

/** The reply of a request that must succeed. */
async function expectData<Data>(request: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await request;
  assert.ok(data !== undefined, JSON.stringify(error));
  return data;
}

const list = await expectData(
  client.POST("/accounts/{account}/lists", { params: inAccount, body: { name: "Monthly news" } }),
);
const onList = { path: { account, list: list.id } };

const added = await expectData(
  client.POST("/accounts/{account}/subscribers:batch", {
    params: inAccount,
    body: {
      items: [
        { action: "add", listId: list.id, email: "grace@example.org", firstName: "Grase" },
        { action: "add", listId: list.id, email: "ada@example.org" },
        { action: "add", listId: list.id, email: "not an address" },
      ],
    },
  }),
);
assert.equal(added.failedCount, 1);
assert.deepEqual(
  added.results.map(({ outcome, problem }) => [outcome, problem?.status ?? null]),
  [
    ["done", null],
    ["done", null],
    ["invalidEmail", 422],
  ],
);

const found = await expectData(
  client.POST("/accounts/{account}/subscribers:search", {
    params: inAccount,
    body: { search: "grace@", listId: list.id },
  }),
);
const subscriber = found.items[0]?.id ?? assert.fail("the subscriber is not found");
const one = { path: { account, subscriber } };
const ONE = "/accounts/{account}/subscribers/{subscriber}";

const shown = await client.GET(ONE, { params: one });
assert.equal(shown.data?.firstName, "Grase");
const etag = shown.response.headers.get("etag") ?? assert.fail("the subscriber has no version");
const correct = (version: string) =>
  client.PATCH(ONE, { params: one, body: { firstName: "Grace" }, headers: { "If-Match": version } });
const corrected = await expectData(correct(etag));
assert.deepEqual(
  corrected.replaced.map(({ field, old, new: now }) => [field.name, old, now]),
  [["firstName", "Grase", "Grace"]],
);
const { error: outdated } = await correct(etag);
assert.equal(outdated?.status, 412);

const readMembers = (): Promise<string> =>
  expectData(
    client.GET("/accounts/{account}/lists/{list}/export", {
      params: { ...onList, query: { state: "active" } },
      parseAs: "text",
    }),
  );
assert.match(await readMembers(), /grace@example\.org,.*Grace/);

const erased = await expectData(client.POST(`${ONE}/erase`, { params: one }));
assert.deepEqual([erased.email, erased.counts.lists], ["grace@example.org", 1]);
assert.equal((await client.GET(ONE, { params: one })).error?.status, 404);
assert.doesNotMatch(await readMembers(), /grace/);

const wrong = await client.POST("/accounts/{account}/lists", { params: inAccount, body: { name: "" } });
assert.equal(wrong.error?.errors?.[0]?.pointer, "#/name");
