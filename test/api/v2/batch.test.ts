/** Many changes of subscribers in one request. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type BatchItem, wavesOf } from "#admin/subscribers/batch.ts";
import { actor } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
let account = 0;
/** The id of the field Town. */
let town = "";
const people = () => actor(api.store, account);
before(async () => {
  api = await startApi();
  ({ id: account } = await api.store.accounts.create({ name: "Acme", at: 1 }));
  await people().list("News");
  const field = await people().createField("Town");
  assert.ok(typeof field === "object");
  town = String(field.id);
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

interface ItemResult {
  readonly index: number;
  readonly outcome: string;
  readonly id: string | null;
  readonly problem: {
    readonly type: string;
    readonly status: number;
    readonly detail: string;
    readonly errors?: readonly { readonly pointer: string }[];
  } | null;
}
interface BatchReply {
  readonly failedCount: number;
  readonly results: readonly ItemResult[];
}
const post = (items: unknown, headers: Readonly<Record<string, string>> = {}) =>
  api.send("POST", "/accounts/1/subscribers:batch", { token: "editor", body: { items }, headers });
async function batch(
  items: readonly object[],
  headers?: Readonly<Record<string, string>>,
): Promise<BatchReply> {
  const response = await post(items, headers);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as BatchReply;
}
const outcomesOf = ({ results }: BatchReply) => results.map(({ outcome }) => outcome);

test("each item is carried out, and has a result with the id of its subscriber", async () => {
  const added = await batch([
    {
      action: "add",
      listId: "1",
      email: "a@example.org",
      firstName: "Ann",
      values: [{ fieldId: town, value: "Rome" }],
    },
    { action: "add", listId: "1", email: "b@example.org" },
    { action: "unsubscribe", email: "never-seen@example.org" },
  ]);
  assert.equal(added.failedCount, 0);
  assert.deepEqual(
    added.results.map(({ index, outcome, problem }) => [index, outcome, problem]),
    [0, 1, 2].map((index) => [index, "done", null]),
  );
  const [a, b] = added.results.map(({ id }) => id ?? "");
  const shown = await people().show("a@example.org");
  assert.deepEqual([String(shown?.id), shown?.data.firstName, shown?.values[0]?.value], [a, "Ann", "Rome"]);
  assert.equal((await people().show("never-seen@example.org"))?.state, "unsubscribed");

  const changed = await batch([
    {
      action: "update",
      id: a,
      newEmail: "a@new.example",
      firstName: null,
      values: [{ fieldId: town, value: null }],
    },
    { action: "remove", id: b, listId: "1" },
    { action: "unsubscribe", id: a },
  ]);
  assert.deepEqual(outcomesOf(changed), ["done", "done", "done"]);
  assert.deepEqual(
    changed.results.map(({ id }) => id),
    [a, b, a],
  );
  const moved = await people().show("a@new.example");
  assert.deepEqual([moved?.data.firstName, moved?.values, moved?.state], ["", [], "unsubscribed"]);
  assert.deepEqual((await people().show("b@example.org"))?.lists, []);
});

test("null clears a value, in an addition, an update and a batch alike", async () => {
  const given = { firstName: "Ada", lastName: "L", values: [{ fieldId: town, value: "Rome" }] };
  const cleared = { firstName: null, values: [{ fieldId: town, value: null }] };
  const subscribers = "/accounts/1/subscribers";
  const added = { listId: "1", email: "null@example.org" };
  const add = async (body: object) => {
    const response = await api.send("POST", subscribers, { body });
    assert.equal(response.status, 200, await response.clone().text());
    return ((await response.json()) as { readonly id: string }).id;
  };
  const id = await add({ ...added, ...cleared });
  for (const clear of [
    () => add({ ...added, ...cleared }),
    () => api.send("PATCH", `${subscribers}/${id}`, { body: cleared }),
    () => batch([{ action: "add", ...added, ...cleared }]),
    () => batch([{ action: "update", email: added.email, ...cleared }]),
  ]) {
    await add({ ...added, ...given });
    assert.equal((await people().show(added.email))?.values[0]?.value, "Rome");
    await clear();
    const shown = await people().show(added.email);
    assert.deepEqual([shown?.data.firstName, shown?.data.lastName, shown?.values], ["", "L", []]);
  }
});

test("an item that is wrong or refused does not hinder the others, and its problem points to it", async () => {
  await people().unsubscribe("left@example.org");
  const reply = await batch([
    { action: "add", listId: "1", email: "first@example.org" },
    { action: "add", listId: "1", email: "left@example.org" },
    { action: "add", listId: "99", email: "x@example.org" },
    { action: "add", email: "x@example.org" },
    { action: "add", listId: "1" },
    { action: "add", listId: "1", email: "x@example.org", id: "1" },
    { action: "add", listId: "1", email: "x" },
    { action: "add", listId: "1", email: "x@example.org", values: [{ fieldId: "99", value: null }] },
    { action: "update", email: "first@example.org", values: [{ fieldId: "99", value: null }] },
    { action: "update", id: "999999", firstName: "X" },
    { action: "update", email: "first@example.org" },
    { action: "remove", email: "first@example.org", listId: "1", firstName: "X" },
    { action: "unsubscribe", email: "first@example.org", newEmail: "y@example.org" },
    { action: "add", listId: "1", email: "last@example.org" },
  ]);
  assert.deepEqual(
    reply.results.map(({ outcome, problem }) => [
      outcome,
      problem?.status ?? null,
      problem?.errors?.[0]?.pointer ?? null,
    ]),
    [
      ["done", null, null],
      ["unsubscribed", 422, null],
      ["unknownList", 404, "#/items/2/listId"],
      ["failed", 400, "#/items/3/listId"],
      ["failed", 400, "#/items/4/email"],
      ["failed", 400, "#/items/5/email"],
      ["invalidEmail", 422, "#/items/6/email"],
      ["failed", 400, "#/items/7/values"],
      ["failed", 400, "#/items/8/values"],
      ["failed", 404, null],
      ["failed", 400, "#/items/10/values"],
      ["failed", 400, "#/items/11/firstName"],
      ["failed", 400, "#/items/12/newEmail"],
      ["done", null, null],
    ],
  );
  assert.equal(reply.failedCount, 12);
  assert.equal(await people().show("x@example.org"), null);
  for (const email of ["first@example.org", "last@example.org"])
    assert.equal((await people().show(email))?.lists.length, 1);
});

test("items about one person are carried out in their order, however they name the person", async () => {
  const [{ id } = { id: null }] = (await batch([{ action: "add", listId: "1", email: "o@example.org" }]))
    .results;
  const reply = await batch([
    { action: "remove", email: "O@example.org", listId: "1" },
    { action: "add", email: "o@example.org", listId: "1" },
    { action: "update", id, newEmail: "p@example.org" },
    { action: "unsubscribe", email: "p@example.org" },
    { action: "add", email: "P@example.org", listId: "1" },
    { action: "update", id, firstName: "Olga" },
  ]);
  assert.deepEqual(outcomesOf(reply), ["done", "done", "done", "done", "unsubscribed", "done"]);
  const person = await people().show("p@example.org");
  assert.deepEqual(
    person?.history.map(({ kind }) => kind),
    ["joined", "left", "joined", "changed", "unsubscribed", "changed"],
  );
  assert.equal(await people().show("o@example.org"), null);
});

test("items run side by side, except for those that may name the same person", () => {
  const add = (named: Partial<BatchItem>): BatchItem => ({ action: "add", list: 1, ...named });
  const sizes = (items: readonly BatchItem[]) => [...wavesOf(items)].map(({ length }) => length);
  const many = Array.from({ length: 250 }, (_, n) => add({ email: `p${n}@example.org` }));
  assert.deepEqual(sizes(many), [100, 100, 50]);
  assert.deepEqual(sizes([add({ email: "a@x.org" }), add({ email: "A@x.org" })]), [1, 1]);
  assert.deepEqual(sizes([add({ email: "a@x.org" }), add({ email: "Ann <a@x.org>" })]), [1, 1]);
  assert.deepEqual(sizes([add({ id: 1 }), add({ id: 2 }), add({ id: 1 })]), [2, 1]);
  assert.deepEqual(sizes([add({ id: 1 }), add({ email: "a@x.org" }), add({ id: 2 })]), [1, 1, 1]);
  const moved = add({ action: "update", email: "a@x.org", newEmail: "b@x.org" });
  assert.deepEqual(sizes([moved, add({ email: "b@x.org" })]), [1, 1]);
  assert.deepEqual(sizes([]), []);
});

test("a thousand items are one request, and more, none or misshapen ones are refused as a whole", async () => {
  const items = Array.from({ length: 1000 }, (_, n) => ({
    action: "add",
    listId: "1",
    email: `m${n}@example.org`,
  }));
  const reply = await batch(items);
  assert.equal(reply.failedCount, 0);
  assert.deepEqual(
    reply.results.map(({ index }) => index),
    [...items.keys()],
  );
  assert.equal(new Set(reply.results.map(({ id }) => id)).size, 1000);
  const extra = { action: "add", listId: "1", email: "extra@example.org" };
  for (const [wrong, pointer] of [
    [[...items, extra], "#/items"],
    [[], "#/items"],
    [[extra, { ...extra, action: "delete" }], "#/items/1/action"],
    [[extra, { ...extra, listId: 1 }], "#/items/1/listId"],
    [[extra, { ...extra, town: "Rome" }], "#/items/1/town"],
    [[extra, null], "#/items/1"],
    ["x", "#/items"],
  ] as const) {
    const response = await post(wrong);
    const { errors } = (await response.json()) as { errors: readonly { pointer: string }[] };
    assert.deepEqual([response.status, errors[0]?.pointer], [400, pointer]);
  }
  assert.equal(await people().show("extra@example.org"), null);
  assert.equal((await post([{ ...extra, firstName: "x".repeat(5 * 1024 ** 2) }])).status, 413);
});

test("a batch that is repeated with its idempotency key is carried out once", async () => {
  const items = [
    { action: "add", listId: "1", email: "once@example.org" },
    { action: "remove", listId: "1", email: "once@example.org" },
  ];
  const key = { "Idempotency-Key": "batch-1" };
  const first = await batch(items, key);
  assert.deepEqual(outcomesOf(first), ["done", "done"]);
  assert.deepEqual(await batch(items, key), first);
  assert.equal((await people().show("once@example.org"))?.history.length, 2);
  assert.deepEqual(outcomesOf(await batch(items)), ["done", "done"]);
  assert.equal((await post(items.slice(1), key)).status, 422);
});

test("a viewer may not send a batch", async () => {
  const body = { items: [{ action: "unsubscribe", email: "v@example.org" }] };
  const response = await api.send("POST", "/accounts/1/subscribers:batch", { token: "viewer", body });
  assert.equal(response.status, 403);
  assert.equal(await people().show("v@example.org"), null);
});
