/** Requests that are repeated, changes of what others have changed, and cursors, shown with lists. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Type } from "typebox";
import { action } from "#admin/kit/action.ts";
import { route } from "#api/v2/kit/route.ts";
import { Input } from "#api/v2/kit/schemas.ts";
import { routes } from "#api/v2/routes.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { finishJobs } from "./finish-jobs.ts";

/** A route whose reply has a secret. */
const secretRoute = route("POST /accounts/{account}/secrets", {
  summary: "Make a secret",
  action: action(
    "secret.create",
    "owner",
    "audit log",
    async ({ store, clock, audit }, args: { account: number }) => ({
      list: await store.lists.create({ ...args, name: "Secret", at: clock(), audit }),
      secret: String(Math.random()),
    }),
  ),
  body: Input({}),
  args: ({ params }) => params,
  status: 201,
  reply: Type.Object({ id: Type.String(), secret: Type.String() }),
  answer: ({ list, secret }) => ({ id: String(list.id), secret }),
  hasSecret: true,
});

let api: ApiServer;
let account = 0;
before(async () => {
  api = await startApi([...routes, { ...secretRoute, tag: "Secrets" }]);
});
beforeEach(async () => {
  account = (await api.store.accounts.create({ name: "Acme", at: 1 })).id;
});
after(() => api.close());

const lists = (): string => `/accounts/${account}/lists`;
const repeated = (key: string) => ({ "Idempotency-Key": key });
const countLists = async (): Promise<number> =>
  (await api.store.lists.all.page({ account }, { after: null, limit: 100 })).rows.length;

test("a request that is repeated with its key is executed once, also at the same time", async () => {
  const send = () => api.send("POST", lists(), { body: { name: "News" }, headers: repeated("a") });
  const replies = await Promise.all([send(), send(), send()]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 201, 201],
  );
  const [first, ...others] = await Promise.all(replies.map((reply) => reply.text()));
  for (const other of others) assert.equal(other, first);
  assert.equal(await countLists(), 1);
});

test("another request with the same key is refused, and the same key of another user is another key", async () => {
  const send = (name: string, token: "owner" | "editor" = "owner") =>
    api.send("POST", lists(), { token, body: { name }, headers: repeated("b") });
  assert.equal((await send("News")).status, 201);
  assert.equal((await send("Other")).status, 422);
  assert.equal((await send("News", "editor")).status, 201);
  assert.equal(await countLists(), 2);
});

test("a request that was refused can be repeated with its key after it was corrected elsewhere", async () => {
  const send = (token: "viewer" | "owner") =>
    api.send("POST", lists(), { token, body: { name: "News" }, headers: repeated("c") });
  assert.equal((await send("viewer")).status, 403);
  assert.equal((await send("owner")).status, 201);
});

test("a key that no header can contain everywhere is refused", async () => {
  for (const key of ["x".repeat(256), "ä"]) {
    const reply = await api.send("POST", lists(), { body: { name: "News" }, headers: repeated(key) });
    assert.equal(reply.status, 400, key);
    const { errors } = (await reply.json()) as { readonly errors: readonly { readonly header: string }[] };
    assert.equal(errors[0]?.header, "Idempotency-Key");
  }
});

test("a secret is sent once: a repeat is 409 and names what was made", async () => {
  const send = () => api.send("POST", `/accounts/${account}/secrets`, { body: {}, headers: repeated("d") });
  const made = (await (await send()).json()) as { readonly id: string };
  const again = await send();
  assert.equal(again.status, 409);
  const problem = (await again.json()) as { readonly id: string; readonly secret?: string };
  assert.equal(problem.id, made.id);
  assert.equal(problem.secret, undefined);
  assert.equal(await countLists(), 1);
});

test("the repeat of a request that has erased or deleted what it is about is 409, and one with another key 404", async () => {
  const list = (await api.store.lists.create({ account, name: "News", at: 1 })).id;
  const email = "ada@example.com";
  const add = () =>
    api.send("POST", `/accounts/${account}/subscribers`, {
      body: { listId: String(list), email },
      headers: repeated("add"),
    });
  const added = await add();
  const { id } = (await added.json()) as { readonly id: string };
  const erase = async (key: string): Promise<readonly [number, string]> => {
    const path = `/accounts/${account}/subscribers/${id}/erase`;
    const reply = await api.send("POST", path, { headers: repeated(key) });
    const { type = "" } = (await reply.json()) as { readonly type?: string };
    return [reply.status, type.split("#problem-").at(-1) ?? ""];
  };
  assert.deepEqual(await erase("e"), [200, ""]);
  assert.deepEqual(await erase("e"), [409, "already-done"]);
  assert.equal((await add()).status, 409, "not stored again");
  assert.deepEqual(await erase("f"), [404, "not-found"]);

  const deletion = async (key: string): Promise<number> => {
    const sent = { token: "administrator", body: { name: "Acme" }, headers: repeated(key) } as const;
    return (await api.send("POST", `/accounts/${account}/deletion`, sent)).status;
  };
  assert.equal(await deletion("g"), 202);
  await finishJobs(api.store);
  assert.equal(await deletion("g"), 409);
  assert.equal(await deletion("h"), 404);
});

test("a change of what has changed since it was read is refused and changes nothing", async () => {
  const list = (await (await api.send("POST", lists(), { body: { name: "News" } })).json()) as { id: string };
  const one = `${lists()}/${list.id}`;
  const tag = (await api.send("GET", one)).headers.get("etag") ?? "";
  assert.match(tag, /^"[\w-]+\.[\w-]+"$/);
  const rename = (name: string, match: string) =>
    api.send("PATCH", one, { body: { name }, headers: { "If-Match": match } });
  const renamed = await rename("Monthly", tag);
  assert.equal(renamed.status, 200);
  assert.equal((await rename("Weekly", tag)).status, 412);
  assert.equal((await api.send("DELETE", one, { headers: { "If-Match": tag } })).status, 412);
  assert.equal((await rename("Weekly", renamed.headers.get("etag") ?? "")).status, 200);
  assert.equal((await rename("Any", "*")).status, 200);
  assert.equal((await rename("Any", "unquoted")).status, 400);
  const now = (await api.send("GET", one)).headers.get("etag") ?? "";
  assert.equal((await rename("Several", `"a", W/"b"`)).status, 412);
  assert.equal((await rename("Several", `"a", W/${now}`)).status, 200);
});

test("a reply that the client has is not sent again, also if only a counter has changed", async () => {
  const list = (await (await api.send("POST", lists(), { body: { name: "News" } })).json()) as { id: string };
  const get = (tag = "") =>
    api.send("GET", `${lists()}/${list.id}`, { headers: tag === "" ? {} : { "If-None-Match": tag } });
  const tag = (await get()).headers.get("etag") ?? "";
  const known = await get(`W/"other", W/${tag}`);
  assert.deepEqual([known.status, await known.text(), known.headers.get("etag")], [304, "", tag]);
  assert.equal((await get("*")).status, 304);
  assert.equal((await get('"other"')).status, 200);
  const body = { listId: list.id, email: "counted@example.org" };
  assert.equal((await api.send("POST", `/accounts/${account}/subscribers`, { body })).status, 200);
  assert.equal((await get(tag)).status, 200);
  const changed = await api.send("PATCH", `${lists()}/${list.id}`, {
    body: { name: "Renamed" },
    headers: { "If-Match": tag },
  });
  assert.equal(changed.status, 200, "its version is the same");
});

test("If-Match is refused where nothing compares it", async () => {
  const reply = await api.send("POST", lists(), { body: { name: "News" }, headers: { "If-Match": '"x"' } });
  assert.equal(reply.status, 400);
});

test("a page that was emptied leads back to the one before it, or to the first", async () => {
  for (const name of ["A", "B", "C"]) await api.store.lists.create({ account, name, at: 1 });
  interface Shown {
    readonly items: readonly { readonly id: string; readonly name: string }[];
    readonly next: string | null;
    readonly previous: string | null;
  }
  const read = async (query: string) =>
    (await (await api.send("GET", `${lists()}?${query}`)).json()) as Shown;
  const first = await read("limit=2");
  const last = await read(`limit=2&after=${first.next}`);
  for (const { id } of last.items) await api.send("DELETE", `${lists()}/${id}`);
  const emptied = await read(`limit=2&after=${first.next}`);
  assert.deepEqual([emptied.items, emptied.next], [[], null]);
  assert.deepEqual((await read(`limit=2&before=${emptied.previous}`)).items, first.items);
  for (const { id } of first.items) await api.send("DELETE", `${lists()}/${id}`);
  await api.store.lists.create({ account, name: "D", at: 1 });
  const before = await read(`limit=2&before=${last.previous}`);
  assert.deepEqual([before.items, before.previous], [[], null]);
  assert.deepEqual(
    (await read(`after=${before.next}`)).items.map(({ name }) => name),
    ["D"],
  );
});

test("a cursor works only in its own account, and contains nothing readable", async () => {
  for (const name of ["A", "B", "C"]) await api.store.lists.create({ account, name, at: 1 });
  const page = (await (await api.send("GET", `${lists()}?limit=1`)).json()) as { readonly next: string };
  assert.doesNotMatch(Buffer.from(page.next, "base64url").toString(), /\[\d+\]/);
  assert.equal((await api.send("GET", `${lists()}?after=${page.next}`)).status, 200);
  const other = (await api.store.accounts.create({ name: "Other", at: 1 })).id;
  assert.equal((await api.send("GET", `/accounts/${other}/lists?after=${page.next}`)).status, 400);
});
