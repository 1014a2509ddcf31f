/** Accounts over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hostileText } from "../../fuzz/hostile-text.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
});
after(() => api.close());

const token = "administrator" as const;
interface Account {
  readonly id: string;
  readonly name: string;
}
const create = async (name: string): Promise<Account> => {
  const response = await api.send("POST", "/accounts", { token, body: { name } });
  assert.equal(response.status, 201);
  return (await response.json()) as Account;
};
const read = async (path: string): Promise<unknown> => await (await api.send("GET", path, { token })).json();

test("an account is created, shown, renamed, set and deleted", async () => {
  const account = await create("Acme");
  const one = `/accounts/${account.id}`;
  const settings = { subscriberLimit: null, fieldLimit: 1000, country: null };
  assert.deepEqual(account, { ...account, ...settings, name: "Acme", activeSubscriberCount: 0 });
  assert.deepEqual(await read(one), account);
  const renamed = await api.send("PATCH", one, { body: { name: "Acme Ltd" } });
  assert.deepEqual(await renamed.json(), { ...account, name: "Acme Ltd" });
  const set = async (body: object) =>
    (await (await api.send("PATCH", `${one}/settings`, { token, body })).json()) as object;
  const limited = { ...account, name: "Acme Ltd", subscriberLimit: 50_000, country: "AR" };
  assert.deepEqual(await set({ subscriberLimit: 50_000, country: "arg" }), limited);
  assert.deepEqual(await set({}), limited);
  assert.deepEqual(await set({ subscriberLimit: null }), { ...limited, subscriberLimit: null });
  assert.deepEqual(await read(`${one}/deletion`), { ...limited, subscriberLimit: null });
  const deletion = { token, body: { name: "Acme Ltd" } };
  const deleted = await api.send("POST", `${one}/deletion`, deletion);
  assert.equal(deleted.status, 202);
  const {
    account: gone,
    job,
    rewriteAt,
  } = (await deleted.json()) as { account: Account; job: { kind: string }; rewriteAt: string };
  assert.deepEqual([gone.name, job.kind], ["Acme Ltd", "deleteAccount"]);
  const rewrite = (await api.store.jobs.left()).find(({ kind }) => kind === "rewrite-database");
  assert.equal(rewriteAt, new Date(rewrite?.dueAt ?? Number.NaN).toISOString());
  assert.equal((await problemOf(await api.send("GET", one, { token }))).status, 404);
  assert.equal((await problemOf(await api.send("POST", `${one}/deletion`, deletion))).status, 404);
});

test("another name than that of the account deletes nothing", async () => {
  const { id } = await create("Kept");
  for (const name of ["", "kept", "Kept ", "Acme"]) {
    const problem = await problemOf(
      await api.send("POST", `/accounts/${id}/deletion`, { token, body: { name } }),
    );
    assert.equal(problem.status, 400);
    assert.equal(problem.errors?.[0]?.pointer, "#/name");
    assert.match(problem.errors[0].detail, /nothing was deleted/);
  }
  assert.equal(((await read(`/accounts/${id}`)) as Account).name, "Kept");
});

test("every wrong body is refused with a pointer to the place", async () => {
  const { id } = await create("Wrong bodies");
  const cases: readonly (readonly [path: string, body: object, pointer: string, detail: RegExp])[] = [
    ["", { name: " " }, "#/name", /1 to 100 characters/],
    ["", { name: "x", country: "AR" }, "#/country", /is not known/],
    ["/settings", { subscriberLimit: -1 }, "#/subscriberLimit", /from 0 to/],
    ["/settings", { subscriberLimit: 1e15 }, "#/subscriberLimit", /from 0 to/],
    ["/settings", { fieldLimit: 1.5 }, "#/fieldLimit", /must be integer/],
    ["/settings", { fieldLimit: "7" }, "#/fieldLimit", /must be integer/],
    ["/settings", { country: "Narnia" }, "#/country", /ISO 3166-1/],
    ["/settings", { name: "x" }, "#/name", /is not known/],
  ];
  for (const [path, body, pointer, detail] of cases) {
    const problem = await problemOf(await api.send("PATCH", `/accounts/${id}${path}`, { token, body }));
    assert.equal(problem.status, 400);
    assert.equal(problem.errors?.[0]?.pointer, pointer, JSON.stringify(body));
    assert.match(problem.errors[0].detail, detail);
  }
});

test("an administrator lists all accounts, page by page", async () => {
  for (const name of ["One", "Two", "Three"]) await create(name);
  interface Page {
    readonly items: readonly Account[];
    readonly next: string | null;
  }
  const all = (await read("/accounts")) as Page;
  const first = (await read("/accounts?limit=2")) as Page;
  const second = (await read(`/accounts?after=${first.next}`)) as Page;
  assert.deepEqual([...first.items, ...second.items], all.items);
  assert.ok(all.items.length >= 3);
  const wrong = await problemOf(await api.send("GET", "/accounts?after=zzz", { token }));
  assert.equal(wrong.errors?.[0]?.parameter, "after");
});

test("somebody without the whole installation lists only the accounts of their roles", async () => {
  const own = (await api.store.accounts.create({ name: "Own", at: 1 })).id;
  await api.store.accounts.create({ name: "Foreign", at: 1 });
  const response = await api.send("GET", "/accounts", { token: `viewer@${own}` });
  assert.deepEqual(
    ((await response.json()) as { readonly items: readonly Account[] }).items.map(({ id }) => id),
    [String(own)],
  );
});

test("a name is returned as it was given, whatever it contains", async () => {
  for (const text of hostileText.filter((one) => !/\p{Cc}/u.test(one))) {
    const name = text.trim().slice(0, 100);
    const { id } = await create(name);
    assert.equal(((await read(`/accounts/${id}`)) as Account).name, name);
  }
});

test("an owner renames the account; limits, creation and deletion are for administrators", async () => {
  const { id } = await create("Roles");
  const one = `/accounts/${id}`;
  const status = async (method: string, path: string, role: "viewer" | "editor" | "owner", body?: object) =>
    (await api.send(method, path, { token: role, body })).status;
  assert.equal(await status("GET", one, "viewer"), 200);
  assert.equal(await status("PATCH", one, "editor", { name: "x" }), 403);
  assert.equal(await status("PATCH", one, "owner", { name: "Renamed" }), 200);
  assert.equal(await status("PATCH", `${one}/settings`, "owner", { fieldLimit: null }), 403);
  assert.equal(await status("POST", "/accounts", "owner", { name: "x" }), 403);
  assert.equal(await status("GET", `${one}/deletion`, "owner"), 403);
  assert.equal(await status("POST", `${one}/deletion`, "owner", { name: "Renamed" }), 403);
  assert.equal(((await read(one)) as Account).name, "Renamed");
});
