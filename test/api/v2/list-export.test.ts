/** The export of a list over the API: the same file as the command line writes, sent while it is read. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { actor } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
const EXPORT = "/accounts/1/lists/1/export";
before(async () => {
  api = await startApi();
  for (const name of ["Acme", "Other"]) {
    const { id: account } = await api.store.accounts.create({ name, at: 1 });
    await api.store.lists.create({ account, name: "News", at: 1 });
  }
  const { addData, addPending, unsubscribe } = actor(api.store, 1);
  await addData(1, "ada@example.org", { firstName: "=1+1", lastName: 'L;"x"' });
  await addPending(1, "pending@example.org");
  await addData(1, "gone@example.org", {});
  await unsubscribe("gone@example.org");
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const exported = async (query: string): Promise<string> => {
  const response = await api.send("GET", `${EXPORT}${query}`, { token: "viewer" });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(response.headers.get("content-disposition"), 'attachment; filename="list-1.csv"');
  assert.equal(response.headers.get("cache-control"), "private, no-store");
  return Buffer.from(await response.arrayBuffer()).toString();
};
/** Unlike `api.send`, `fetch` resolves before the end of the reply. */
const AS_OWNER = { headers: { Authorization: "Bearer owner" } };
const linesOf = (text: string): readonly string[] => text.trimEnd().split("\r\n");

test("an export has the active members, or those in the state that is asked for", async () => {
  const addresses = async (query: string) =>
    linesOf(await exported(query))
      .slice(1)
      .map((line) => line.split(",")[0]);
  assert.deepEqual(await addresses(""), ["ada@example.org"]);
  assert.deepEqual(await addresses("?state=pending"), ["pending@example.org"]);
  assert.deepEqual(await addresses("?state=unsubscribed"), ["gone@example.org"]);
  assert.deepEqual(await addresses("?state=blocked"), []);
  assert.equal((await addresses("?state=all")).length, 3);
});

test("separator, byte order mark and protection from formulas can be chosen", async () => {
  const text = await exported("?separator=semicolon&byteOrderMark=true&spreadsheetSafe=true");
  const [header = "", row = ""] = linesOf(text);
  assert.ok(header.startsWith("\ufeffemail;first_name;last_name"));
  assert.ok(row.startsWith(`ada@example.org;'=1+1;"L;""x"""`), row);
  assert.ok(linesOf(await exported("?separator=tab"))[1]?.startsWith("ada@example.org\t=1+1"));
  for (const [query, parameter] of [
    ["?separator=x", "separator"],
    ["?state=gone", "state"],
    ["?spreadsheetSafe=perhaps", "spreadsheetSafe"],
  ] as const) {
    const response = await api.send("GET", `${EXPORT}${query}`);
    const { errors } = (await response.json()) as { errors: readonly { parameter: string }[] };
    assert.deepEqual([response.status, errors[0]?.parameter], [400, parameter]);
  }
});

test("a filter is exported with the form of a list, as a viewer", async () => {
  const BULK = "/accounts/1/subscribers:bulk-export";
  const found = async (body: object) => {
    const response = await api.send("POST", BULK, { token: "viewer", body });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-disposition"), 'attachment; filename="subscribers.csv"');
    return linesOf(Buffer.from(await response.arrayBuffer()).toString());
  };
  const addresses = async (filter: object) =>
    (await found({ filter })).slice(1).map((line) => line.split(",")[0]);
  assert.deepEqual(await addresses({}), ["ada@example.org", "gone@example.org", "pending@example.org"]);
  assert.deepEqual(await addresses({ state: "unsubscribed" }), ["gone@example.org"]);
  assert.deepEqual(await addresses({ search: "ada" }), ["ada@example.org"]);
  // Who has not confirmed yet is no active member of the list.
  assert.deepEqual(await addresses({ listId: "1", state: "active" }), ["ada@example.org"]);
  assert.deepEqual(await found({ filter: { listId: "1" } }), linesOf(await exported("?state=all")));
  const [header = "", row] = await found({
    filter: { search: "ada" },
    separator: "tab",
    byteOrderMark: true,
  });
  assert.ok(header.startsWith("\ufeffemail\tfirst_name"));
  assert.ok(row?.startsWith("ada@example.org\t=1+1"));
  for (const [filter, status] of [
    [{ listId: "99" }, 404],
    [{ search: "not an address" }, 400],
  ] as const)
    assert.equal((await api.send("POST", BULK, { body: { filter } })).status, status);
});

test("subscribers are listed in an order that the search can have; another one is refused", async () => {
  const at = "/accounts/1/subscribers";
  const addresses = async (query: string) => {
    const response = await api.send("GET", `${at}?${query}`);
    const { items } = (await response.json()) as { items: readonly { email: string }[] };
    return items.map(({ email }) => email.split("@")[0]);
  };
  assert.deepEqual(await addresses("sort=addressDesc"), ["pending", "gone", "ada"]);
  assert.deepEqual(await addresses("sort=newest"), ["gone", "pending", "ada"]);
  assert.deepEqual(await addresses("sort=newest&listId=1"), ["gone", "pending", "ada"]);
  const refused = await api.send("GET", `${at}?sort=address&listId=1`);
  const { errors } = (await refused.json()) as { errors: readonly { parameter: string; detail: string }[] };
  assert.deepEqual([refused.status, errors[0]?.parameter], [400, "sort"]);
  assert.match(errors[0]?.detail ?? "", /possible: oldest, newest/);
});

test("a list that does not exist, or belongs to another account, is not found", async () => {
  for (const path of ["/accounts/1/lists/99/export", "/accounts/2/lists/1/export"])
    assert.equal((await api.send("GET", path)).status, 404);
});

test("an export whose database fails is broken off and reported, so that nobody takes it for complete", async (t) => {
  const { members } = api.store.forOperators.lists;
  const outage = new StoreUnavailable("no answer");
  t.mock.method(members, "pages", async function* () {
    yield [];
    throw outage;
  });
  await assert.rejects(
    async () => (await fetch(new URL(EXPORT.slice(1), api.address), AS_OWNER)).text(),
    TypeError,
  );
  assert.deepEqual(api.defects.splice(0), [outage]);
});
