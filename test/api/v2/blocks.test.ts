/** The block list over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hostileText } from "../../fuzz/hostile-text.ts";
import { addressOf } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  for (const name of ["Acme", "Other"]) await api.store.accounts.create({ name, at: 1 });
});
after(() => api.close());

const BLOCKS = "/accounts/1/blocks";
const add = (pattern: string) => api.send("POST", BLOCKS, { body: { pattern } });
const remove = (pattern: string) => api.send("POST", `${BLOCKS}:remove`, { body: { pattern } });
interface Page {
  readonly items: readonly { readonly pattern: string; readonly createdAt: string }[];
  readonly next: string | null;
}
const read = async (query = ""): Promise<Page> =>
  (await (await api.send("GET", BLOCKS + query)).json()) as Page;
const patterns = async (): Promise<readonly string[]> => (await read()).items.map(({ pattern }) => pattern);

test("a block is added once, is in force, and is removed", async () => {
  const { id: list } = await api.store.lists.create({ account: 1, name: "News", at: 1 });
  const join = (email: string) =>
    api.store.subscribers.add({
      ...{ account: 1, list, address: addressOf(email), at: 1 },
      ...{ origin: { kind: "operator" }, recordedCall: null },
    });
  const members = async () => (await api.store.lists.byId({ account: 1, id: list }))?.members;
  assert.equal(await join("ada@example.org"), "Done");
  const added = await add(" @EXAMPLE.org ");
  assert.equal(added.status, 200);
  assert.deepEqual(await added.json(), { pattern: "@example.org", isNew: true, job: null });
  assert.equal(await join("bob@example.org"), "Blocked");
  assert.equal(await members(), 0);
  const again = { pattern: "@example.org", isNew: false, job: null };
  assert.deepEqual(await (await add("@example.org")).json(), again);
  assert.deepEqual(await patterns(), ["@example.org"]);
  assert.deepEqual(await (await remove("@example.org")).json(), { pattern: "@example.org", job: null });
  assert.equal(await members(), 1);
  assert.equal((await problemOf(await remove("@example.org"))).status, 404);
  assert.deepEqual(await patterns(), []);
});

test("a block of a large domain is in force at once, and a job is left for its subscribers", async () => {
  const { id: list } = await api.store.lists.create({ account: 1, name: "Large", at: 1 });
  await Promise.all(
    Array.from({ length: 600 }, (_, index) =>
      api.store.subscribers.add({
        ...{ account: 1, list, address: addressOf(`s${index}@large.example`), at: 1 },
        ...{ origin: { kind: "operator" }, recordedCall: null },
      }),
    ),
  );
  for (const change of [add, remove]) {
    const response = await change("@large.example");
    assert.equal(response.status, 202);
    const { job } = (await response.json()) as { readonly job: { readonly kind: string; state: string } };
    assert.deepEqual([job.kind, job.state], ["applyBlock", "waiting"]);
  }
});

test("pages of blocks follow each other in the order of their patterns", async () => {
  const expected = ["@a.example", "@b.example", "ada@example.com", "zoe@example.com"];
  for (const pattern of [...expected].reverse()) assert.equal((await add(pattern)).status, 200);
  const [first, seen] = [await read("?limit=3"), [] as string[]];
  seen.push(...first.items.map(({ pattern }) => pattern));
  const second = await read(`?limit=3&after=${first.next}`);
  assert.deepEqual([...seen, ...second.items.map(({ pattern }) => pattern)], expected);
  assert.equal(second.next, null);
  for (const pattern of expected) await remove(pattern);
});

test("what is no pattern is refused with a pointer, and a reason that helps", async () => {
  const cases: readonly (readonly [body: object, detail: RegExp])[] = [
    [{}, /is missing/],
    [{ pattern: 5 }, /must be string/],
    [{ pattern: "" }, /cannot be blocked/],
    [{ pattern: "*@example.org" }, /must not contain \*/],
    [{ pattern: "example.org" }, /no @/],
    [{ pattern: "@" }, /cannot be blocked/],
    ...hostileText
      .filter((text) => !text.includes("@"))
      .map((pattern) => [{ pattern }, /cannot be blocked|must not contain/] as const),
  ];
  for (const path of [BLOCKS, `${BLOCKS}:remove`])
    for (const [body, detail] of cases) {
      const problem = await problemOf(await api.send("POST", path, { body }));
      assert.equal(problem.status, 400);
      assert.equal(problem.errors?.[0]?.pointer, "#/pattern", JSON.stringify(body));
      assert.match(problem.errors[0].detail, detail);
    }
  assert.deepEqual(await patterns(), []);
});

test("the blocks of another account are neither listed nor removed", async () => {
  await api.send("POST", "/accounts/2/blocks", { body: { pattern: "@theirs.example" } });
  assert.deepEqual(await patterns(), []);
  assert.equal((await problemOf(await remove("@theirs.example"))).status, 404);
});

test("a viewer reads blocks, and an editor adds and removes them", async () => {
  const body = { pattern: "@roles.example" };
  assert.equal((await api.send("GET", BLOCKS, { token: "viewer" })).status, 200);
  for (const path of [BLOCKS, `${BLOCKS}:remove`]) {
    assert.equal((await problemOf(await api.send("POST", path, { token: "viewer", body }))).status, 403);
    assert.equal((await api.send("POST", path, { token: "editor", body })).status, 200);
  }
});

test("no path contains a pattern", async () => {
  await add("ada@example.org");
  for (const method of ["GET", "DELETE"])
    assert.equal((await problemOf(await api.send(method, `${BLOCKS}/ada@example.org`))).status, 404);
  assert.deepEqual(await patterns(), ["ada@example.org"]);
});

test("a preview counts the subscribers whom a block would cover, and changes nothing", async () => {
  const { id: list } = await api.store.lists.create({ account: 1, name: "Previewed", at: 1 });
  for (const email of ["a@covered.example", "b@covered.example", "c@sub.covered.example"])
    await api.store.subscribers.add({
      ...{ account: 1, list, address: addressOf(email), at: 1 },
      ...{ origin: { kind: "operator" }, recordedCall: null },
    });
  const before = await patterns();
  const preview = async (pattern: string, account = 1) =>
    (await api.send("POST", `/accounts/${account}/blocks:preview`, { body: { pattern } })).json();
  const counted = (pattern: string, subscriberCount: number) => ({
    ...{ pattern, subscriberCount, hasMore: false },
  });
  assert.deepEqual(await preview("@Covered.example"), counted("@covered.example", 2));
  assert.deepEqual(await preview("Ada <A@covered.example>"), counted("a@covered.example", 1));
  assert.deepEqual(await preview("@covered.example", 2), counted("@covered.example", 0));
  assert.deepEqual(await patterns(), before);
  const wrong = await api.send("POST", `${BLOCKS}:preview`, { body: { pattern: "covered" } });
  assert.equal(wrong.status, 400);
});

test("an address says whether it is a subscriber, and which blocks cover it", async () => {
  const { id: list } = await api.store.lists.create({ account: 1, name: "Some", at: 1 });
  const address = addressOf("known@some.example");
  await api.store.subscribers.add({
    ...{ account: 1, list, address, at: 1 },
    ...{ origin: { kind: "operator" }, recordedCall: null },
  });
  const known = await api.store.subscribers.find({ account: 1, address });
  const show = async (account: number, email: string) =>
    (await (
      await api.send("POST", `/accounts/${account}/subscribers:address`, { body: { email } })
    ).json()) as object;
  const nothing = { subscriberId: null, blocks: [], remainingSuppressions: null };
  const email = "known@some.example";
  assert.deepEqual(await show(1, email), { ...nothing, email, subscriberId: String(known?.id) });
  assert.deepEqual(await show(2, email), { ...nothing, email });
  await add("@some.example");
  const { blocks, ...rest } = (await show(1, "new@some.example")) as {
    readonly blocks: readonly {
      readonly pattern: string;
      readonly actor: { readonly kind: string } | null;
    }[];
  };
  assert.deepEqual(rest, { email: "new@some.example", subscriberId: null, remainingSuppressions: null });
  assert.deepEqual(
    blocks.map(({ pattern, actor }) => [pattern, actor?.kind]),
    [["@some.example", "user"]],
  );
  await remove("@some.example");
});
