/** Custom fields over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Role } from "#domain/access/user.ts";
import { dataTypes } from "#domain/field/field.ts";
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

const FIELDS = "/accounts/1/fields";
interface Field {
  readonly id: string;
  readonly name: string;
}
const create = async (body: object): Promise<Field> => {
  const response = await api.send("POST", FIELDS, { body, token: "administrator" });
  assert.equal(response.status, 201);
  return (await response.json()) as Field;
};
const read = async (path: string): Promise<unknown> => await (await api.send("GET", path)).json();

test("a field is created, shown, renamed and deleted with its values", async () => {
  const field = await create({ name: "Town", type: "STRING" });
  assert.deepEqual(field, { ...field, name: "Town", type: "STRING", isPrivate: false });
  const one = `${FIELDS}/${field.id}`;
  assert.deepEqual(await read(one), field);
  const renamed = await api.send("PATCH", one, { body: { name: "City" } });
  assert.deepEqual(await renamed.json(), { ...field, name: "City" });
  const { id: list } = await api.store.lists.create({ account: 1, name: "News", at: 1 });
  await api.store.subscribers.addWithData({
    ...{ account: 1, list, address: addressOf("ada@example.org"), at: 1 },
    ...{ origin: { kind: "operator" }, recordedCall: null },
    data: {
      ...{ firstName: null, lastName: null, gender: null, birthday: null, countryNumber: null },
      values: [{ field: BigInt(field.id), value: "London" }],
    },
  });
  assert.deepEqual(await read(`${one}/deletion`), { ...field, name: "City", valueCount: 1, hasMore: false });
  const deleted = await api.send("DELETE", one);
  assert.equal(deleted.status, 200);
  assert.deepEqual(await deleted.json(), { field: { ...field, name: "City" }, job: null });
  for (const [method, path] of [
    ["GET", one],
    ["GET", `${one}/deletion`],
    ["DELETE", one],
  ] as const)
    assert.equal((await problemOf(await api.send(method, path))).status, 404);
});

test("an id of 64 bits is kept to the digit", async () => {
  const id = "9007199254740993";
  const field = await create({ name: "Old id", type: "REAL", isPrivate: true, id });
  assert.deepEqual(await read(`${FIELDS}/${id}`), field);
  assert.equal(field.id, id);
  const next = await create({ name: "Next", type: "REAL" });
  assert.ok(Number.isSafeInteger(Number(next.id)), "ids that were not chosen are exact in JavaScript");
});

test("only an administrator chooses an id, and is told the same whoever has it", async () => {
  const choose = async (token: Role, account: number, kind: "lists" | "fields", id: string) => {
    const more = kind === "fields" ? { type: "REAL" } : {};
    const body = { name: `Chosen ${account}`, id, ...more };
    return problemOf(await api.send("POST", `/accounts/${account}/${kind}`, { token, body }));
  };
  const field = await create({ name: "Taken", type: "REAL" });
  const list = await api.store.lists.create({ account: 1, name: "Ours", at: 1 });
  for (const [kind, taken] of [
    ["fields", field.id],
    ["lists", String(list.id)],
  ] as const) {
    for (const token of ["editor", "owner"] as const) {
      const [free, used] = [await choose(token, 2, kind, "4711"), await choose(token, 2, kind, taken)];
      assert.equal(free.status, 403);
      assert.match(free.detail, /^This id cannot be chosen: that needs the role administrator/);
      assert.equal(used.detail, free.detail);
    }
    const [own, other] = [
      await choose("administrator", 1, kind, taken),
      await choose("administrator", 2, kind, taken),
    ];
    for (const { status, detail, errors } of [own, other])
      assert.deepEqual(
        [status, detail, errors],
        [
          409,
          "This id cannot be chosen; choose another one.",
          [{ pointer: "#/id", detail: "cannot be chosen" }],
        ],
      );
  }
});

test("every wrong body is refused with a pointer to the place", async () => {
  const cases: readonly (readonly [body: object, pointer: string, detail: RegExp])[] = [
    [{ name: "Size" }, "#/type", /is missing/],
    [{ type: "REAL" }, "#/name", /is missing/],
    [{ name: "Size", type: "real" }, "#/type", new RegExp(`one of ${dataTypes.join(", ")}$`)],
    [{ name: "Size", type: "REAL", isPrivate: "true" }, "#/isPrivate", /must be boolean/],
    [{ name: "Size", type: "REAL", private: true }, "#/private", /is not known/],
    [{ name: "Size", type: "REAL", id: "0" }, "#/id", /at least 1/],
    [{ name: "Size", type: "REAL", id: "-7" }, "#/id", /at least 1/],
    [{ name: "Size", type: "REAL", id: "9000000000000000001" }, "#/id", /at most 9000000000000000000/],
    [{ name: "Size", type: "REAL", id: "9999999999999999999" }, "#/id", /at most 9000000000000000000/],
    [{ name: "Size", type: "REAL", id: 7 }, "#/id", /must be string/],
  ];
  for (const [body, pointer, detail] of cases) {
    const problem = await problemOf(await api.send("POST", FIELDS, { body, token: "administrator" }));
    assert.equal(problem.status, 400);
    assert.equal(problem.errors?.[0]?.pointer, pointer, JSON.stringify(body));
    assert.match(problem.errors[0].detail, detail);
  }
});

test("what the rules refuse has the outcome that a call would get, what it means, and where it is", async () => {
  const { id } = await create({ name: "Grade", type: "STRING" });
  const { id: other } = await create({ name: "Mark", type: "STRING" });
  const refusals = [
    ["POST", FIELDS, { name: "grade", type: "REAL" }, 409, "fieldExists"],
    ["PATCH", `${FIELDS}/${other}`, { name: "Grade" }, 409, "fieldExists"],
    ["POST", FIELDS, { name: " ", type: "REAL" }, 422, "invalidFieldName"],
    ["PATCH", `${FIELDS}/${id}`, { name: "a".repeat(101) }, 422, "invalidFieldName"],
  ] as const;
  for (const [method, path, body, status, outcome] of refusals) {
    const problem = await problemOf(await api.send(method, path, { body }));
    assert.equal(problem.status, status);
    assert.equal(problem.errors?.[0]?.pointer, "#/name");
    assert.equal((problem as unknown as { outcome: string }).outcome, outcome);
    assert.match(problem.detail, /^The \w+ .*[^.]\.$/);
  }
});

test("pages of fields follow the order of creation", async () => {
  const names = (await Promise.all(["A", "B", "C"].map((name) => create({ name, type: "DATE" })))).length;
  interface Page {
    readonly items: readonly Field[];
    readonly next: string | null;
  }
  const all = (await read(FIELDS)) as Page;
  assert.ok(all.items.length >= names);
  const paged: Field[] = [];
  let query = "?limit=1";
  for (;;) {
    const page = (await read(FIELDS + query)) as Page;
    paged.push(...page.items);
    if (page.next === null) break;
    query = `?limit=1&after=${page.next}`;
  }
  assert.deepEqual(paged, all.items);
});

test("a name is returned as it was given, whatever it contains", async () => {
  for (const text of hostileText.filter((one) => !/\p{Cc}/u.test(one))) {
    const name = text.trim().slice(0, 100);
    const { id } = await create({ name, type: "STRING" });
    assert.equal(((await read(`${FIELDS}/${id}`)) as Field).name, name);
  }
});

test("another account's field, and an id that no field can have, is 404", async () => {
  const { id } = await create({ name: "Ours", type: "STRING" });
  for (const path of [`/accounts/2/fields/${id}`, `${FIELDS}/9999999999999999999`, `${FIELDS}/-1`])
    for (const [method, body] of [
      ["GET", undefined],
      ["PATCH", { name: "Theirs" }],
      ["DELETE", undefined],
    ] as const)
      assert.equal((await problemOf(await api.send(method, path, { body }))).status, 404, path);
  assert.equal(((await read(`${FIELDS}/${id}`)) as Field).name, "Ours");
});

test("a viewer reads fields, an editor creates and renames them, an owner deletes them", async () => {
  const { id } = await create({ name: "Roles", type: "STRING" });
  const one = `${FIELDS}/${id}`;
  const body = { name: "Roles" };
  assert.equal((await api.send("GET", one, { token: "viewer" })).status, 200);
  assert.equal((await api.send("PATCH", one, { token: "viewer", body })).status, 403);
  assert.equal((await api.send("PATCH", one, { token: "editor", body })).status, 200);
  assert.equal((await api.send("GET", `${one}/deletion`, { token: "editor" })).status, 403);
  assert.equal((await api.send("DELETE", one, { token: "editor" })).status, 403);
  assert.equal((await api.send("DELETE", one)).status, 200);
});
