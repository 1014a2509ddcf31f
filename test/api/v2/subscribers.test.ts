/** Subscribers over the API: the whole life of one, wrong requests, roles, and other accounts. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hostileText } from "../../fuzz/hostile-text.ts";
import { actor, addressOf } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
/** The id of the field Town. */
let TOWN = "";
before(async () => {
  api = await startApi();
  for (const name of ["Acme", "Other"]) {
    const { id: account } = await api.store.accounts.create({ name, at: 1 });
    await api.store.lists.create({ account, name: "News", at: 1 });
    const field = { name: "Town", type: "STRING", isPrivate: false } as const;
    const created = await api.store.fields.create({ account, id: null, field, at: 1 });
    assert.ok(typeof created === "object");
    if (account === 1) TOWN = String(created.id);
  }
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const PEOPLE = "/accounts/1/subscribers";
interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}
async function send(method: string, path: string, body?: unknown, token = "owner"): Promise<Reply> {
  const response = await api.send(method, path, { token: token as "owner", body });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Reply["body"]) };
}
async function add(email: string, more: object = {}): Promise<string> {
  const { status, body } = await send("POST", PEOPLE, { listId: "1", email, ...more });
  assert.equal(status, 200, JSON.stringify(body));
  return String(body.id);
}
const detailOf = ({ body }: Reply): string => String(body.detail);

test("a subscriber is added with data, shown, corrected, moved between lists, suppressed and erased", async () => {
  const given = {
    firstName: "Ada",
    gender: "f",
    birthday: "1815-12-10",
    country: "gbr",
    values: [{ fieldId: TOWN, value: "London" }],
  };
  const id = await add("Ada@example.org", given);
  const one = `${PEOPLE}/${id}`;
  const shown = (await send("GET", one)).body;
  assert.deepEqual(
    [shown.id, shown.email, shown.firstName, shown.lastName, shown.gender, shown.birthday, shown.country],
    [id, "Ada@example.org", "Ada", null, "F", "1815-12-10", "GB"],
  );
  assert.equal(shown.state, "active");
  const [value] = shown.values as readonly Record<string, unknown>[];
  assert.deepEqual([value?.field, value?.value], [{ id: TOWN, name: "Town" }, "London"]);
  const [list] = shown.lists as readonly Record<string, unknown>[];
  assert.deepEqual([list?.id, list?.status, list?.isCounted], ["1", "active", true]);
  const [joined] = shown.history as readonly Record<string, unknown>[];
  assert.deepEqual(
    [joined?.kind, joined?.actor, joined?.list],
    ["joined", { kind: "user", id: "3", name: "owner@example.org" }, { id: "1", name: "News" }],
  );

  const patched = await send("PATCH", one, {
    email: "ada@new.example",
    lastName: "Lovelace",
    birthday: null,
    values: [{ fieldId: TOWN, value: null }],
  });
  assert.deepEqual(patched.body, {
    id,
    email: "ada@new.example",
    replaced: [
      { field: { id: null, name: "email" }, old: "Ada@example.org", new: "ada@new.example" },
      { field: { id: null, name: "lastName" }, old: null, new: "Lovelace" },
      { field: { id: null, name: "birthday" }, old: "1815-12-10", new: null },
      { field: { id: TOWN, name: "Town" }, old: "London", new: null },
    ],
  });
  const corrected = (await send("GET", one)).body;
  assert.deepEqual([corrected.firstName, corrected.birthday, corrected.values], ["Ada", null, []]);

  const onList = `/accounts/1/lists/1/subscribers/${id}`;
  assert.equal((await send("DELETE", onList)).status, 204);
  const again = await send("DELETE", onList);
  assert.deepEqual([again.status, again.body.outcome], [404, "notOnList"]);
  const rejoined = await send("PUT", onList);
  assert.deepEqual(rejoined, { status: 200, body: { id, email: "ada@new.example", isPending: false } });

  const left = await send("POST", `${one}/unsubscribe`);
  assert.deepEqual([left.body.id, typeof left.body.unsubscribedAt], [id, "string"]);
  const refused = await send("POST", PEOPLE, { listId: "1", email: "ada@new.example" });
  assert.deepEqual([refused.status, refused.body.outcome], [422, "unsubscribed"]);
  assert.equal(detailOf(refused), "The address was unsubscribed earlier.");
  const back = await send("POST", `${one}/reactivate`, { suppression: "unsubscribed", reason: "asked" });
  assert.deepEqual(back.body, { id, email: "ada@new.example", state: "active" });

  const exported = (await send("GET", `${one}/export`)).body;
  assert.equal(exported.email, "ada@new.example");
  assert.equal((exported.subscriber as Record<string, unknown>).id, id);

  await send("POST", `${one}/unsubscribe`);
  const erased = (await send("POST", `${one}/erase`)).body;
  assert.deepEqual(
    [erased.email, erased.wasKnown, erased.formerAddresses],
    ["ada@new.example", true, ["Ada@example.org"]],
  );
  assert.deepEqual(erased.counts, { values: 0, lists: 1, history: 7, campaignResults: 0, refusedCalls: 0 });
  assert.equal(typeof (erased.remainingSuppressions as Record<string, unknown>).unsubscribed, "string");
  const rewrite = (await api.store.jobs.left()).find(({ kind }) => kind === "rewrite-database");
  assert.equal(erased.rewriteAt, new Date(rewrite?.dueAt ?? Number.NaN).toISOString());
  for (const path of [one, `${one}/export`])
    assert.match(detailOf(await send("GET", path)), new RegExp(`no subscriber ${id}\\.$`));
  assert.equal((await send("POST", `${one}/erase`)).status, 404);
  const kept = (await send("POST", `${PEOPLE}:export`, { email: "ada@new.example" })).body;
  assert.deepEqual([kept.subscriber, kept.remainingSuppressions], [null, erased.remainingSuppressions]);
});

test("an address that is not stored can be unsubscribed, reactivated and erased", async () => {
  const email = "stranger@example.org";
  const left = await send("POST", `${PEOPLE}:unsubscribe`, { email });
  assert.equal(left.status, 200);
  assert.equal((await send("GET", `${PEOPLE}/${String(left.body.id)}`)).body.state, "unsubscribed");
  assert.equal((await send("POST", `${PEOPLE}:erase`, { email })).body.wasKnown, true);
  const asked = { email, suppression: "unsubscribed", reason: "asked" };
  assert.equal((await send("POST", `${PEOPLE}:reactivate`, asked)).body.state, "active");
  assert.equal((await send("POST", `${PEOPLE}:reactivate`, asked)).status, 422);
  const nobody = { ...asked, email: "nobody@example.org" };
  assert.equal((await send("POST", `${PEOPLE}:reactivate`, nobody)).status, 404);
  assert.equal((await send("POST", `${PEOPLE}:export`, { email: nobody.email })).status, 404);
});

test("everything about a person is exported: blocks, who made them, and refused calls with their arguments", async () => {
  const a = actor(api.store, 1, (email) => ({
    operation: "Subscriber.Add",
    args: JSON.stringify({ EMail: email }),
    isCut: false,
  }));
  const email = "blocked@example.org";
  await a.block("blocked@example.org");
  await send("POST", "/accounts/1/blocks:remove", { pattern: email });
  await send("POST", "/accounts/1/blocks", { pattern: email });
  assert.equal(await a.add(1, email), "Blocked");
  const { body } = await send("POST", `${PEOPLE}:export`, { email });
  const [block] = body.blocks as readonly Record<string, unknown>[];
  assert.deepEqual([block?.pattern, Object.keys(block ?? {})], [email, ["pattern", "createdAt"]]);
  const owner = { kind: "user", id: "3", name: "owner@example.org" };
  assert.deepEqual(
    (body.blockChanges as readonly Record<string, unknown>[]).map(({ action, actor: by }) => [action, by]),
    [
      ["block.remove", owner],
      ["block.add", owner],
    ],
  );
  const [call] = body.refusedCalls as readonly Record<string, unknown>[];
  assert.deepEqual(
    [call?.operation, call?.outcome, call?.arguments, call?.key],
    ["Subscriber.Add", "blocked", { EMail: email }, null],
  );
});

test("subscribers are listed by state and list, and searched by address and name, page by page", async () => {
  const { id: list } = await api.store.lists.create({ account: 1, name: "Paged", at: 1 });
  const a = actor(api.store, 1);
  for (const name of ["a", "b", "c"])
    await a.addData(list, `${name}@paged.example`, { firstName: "Grace", lastName: name.toUpperCase() });
  await a.unsubscribe("c@paged.example");
  const emailsOf = ({ body }: Reply) =>
    (body.items as readonly { readonly email: string }[]).map(({ email }) => email);
  const first = await send("GET", `${PEOPLE}?listId=${list}&limit=2`);
  assert.deepEqual(emailsOf(first), ["a@paged.example", "b@paged.example"]);
  const second = await send("GET", `${PEOPLE}?listId=${list}&limit=2&after=${String(first.body.next)}`);
  assert.deepEqual(emailsOf(second), ["c@paged.example"]);
  const [member] = first.body.items as readonly Record<string, unknown>[];
  assert.deepEqual(member?.membership, { joinedAt: "2026-11-14T09:30:00.000Z", status: "active" });
  const unsubscribed = await send("GET", `${PEOPLE}?listId=${list}&state=unsubscribed`);
  assert.deepEqual(emailsOf(unsubscribed), ["c@paged.example"]);
  const search = (body: object) => send("POST", `${PEOPLE}:search`, body);
  assert.deepEqual(emailsOf(await search({ search: "b@paged.example" })), ["b@paged.example"]);
  assert.equal(emailsOf(await search({ search: "@paged.example", state: "active" })).length, 2);
  const page = await search({ name: "grace", limit: 1 });
  assert.deepEqual(emailsOf(page), ["a@paged.example"]);
  const [found] = page.body.items as readonly Record<string, unknown>[];
  assert.deepEqual([found?.firstName, found?.listCount, found?.membership], ["Grace", 1, null]);
  const next = await search({ name: "grace", limit: 1, after: page.body.next });
  assert.deepEqual(emailsOf(next), ["b@paged.example"]);
  const before = await search({ name: "grace", limit: 1, before: next.body.previous });
  assert.deepEqual(emailsOf(before), ["a@paged.example"]);
  const other = await search({ name: "other", after: page.body.next });
  assert.deepEqual(other.body.errors, [
    {
      pointer: "#/after",
      detail:
        "is not a cursor of this search; use the same filter as for the page that it came from, or start again from the first page",
    },
  ]);
  const named = (value: string, test = "is") => ({ about: "lastName", test, value });
  const filtered = await search({
    filter: [named("a", "isNot"), named("GRACE", "isNot")],
    listId: String(list),
  });
  assert.deepEqual(emailsOf(filtered), ["b@paged.example", "c@paged.example"]);
  const preview = await send("POST", `${PEOPLE}:bulk-preview`, { filter: { conditions: [named("b")] } });
  assert.equal(preview.body.subscriberCount, 1);
  const unknown = await send("GET", `${PEOPLE}?listId=999`);
  assert.deepEqual(
    [unknown.status, unknown.body.errors],
    [404, [{ parameter: "listId", detail: "does not exist" }]],
  );
});

test("a wrong request says where it is wrong, and changes nothing", async () => {
  const id = await add("wrong@example.org", { firstName: "Grace" });
  const one = `${PEOPLE}/${id}`;
  const before = (await send("GET", one)).body;
  const german = { about: "country", test: "is", value: "DE" };
  const both = { values: ["Rome", null].map((value) => ({ fieldId: TOWN, value })) };
  const cases: readonly (readonly [
    method: string,
    path: string,
    body: unknown,
    pointer: string,
    detail: RegExp,
  ])[] = [
    ["POST", PEOPLE, { email: "x@example.org" }, "#/listId", /is missing/],
    ["POST", PEOPLE, { listId: 1, email: "x@example.org" }, "#/listId", /must be string/],
    ["POST", PEOPLE, { listId: "0", email: "x@example.org" }, "#/listId", /pattern/],
    ["POST", PEOPLE, { listId: "1", email: null }, "#/email", /must be string/],
    ["POST", PEOPLE, { listId: "1", email: "x@example.org", country: "XX" }, "#/country", /must be/],
    ["POST", PEOPLE, { listId: "1", email: "x@example.org", birthday: "3000-01-01" }, "#/birthday", /future/],
    [
      "POST",
      PEOPLE,
      { listId: "1", email: "x@example.org", values: [{ fieldId: "99", value: "x" }] },
      "#/values",
      /no field 99/,
    ],
    [
      "POST",
      PEOPLE,
      { listId: "1", email: "x@example.org", values: [{ fieldId: TOWN }] },
      "#/values/0/value",
      /missing/,
    ],
    ["POST", PEOPLE, { listId: "1", email: "x@example.org", ...both }, "#/values", /both set and cleared/],
    ["PATCH", one, both, "#/values", /both set and cleared/],
    ["PATCH", one, {}, "#/values", /nothing to set/],
    ["PATCH", one, { email: null }, "#/email", /must be string/],
    ["PATCH", one, { email: "x" }, "#/email", /not an e-mail address/],
    ["PATCH", one, { firstName: "" }, "#/firstName", /is empty/],
    ["PATCH", one, { gender: "q" }, "#/gender", /must be/],
    ["PATCH", one, { values: [{ fieldId: "Town", value: null }] }, "#/values/0/fieldId", /pattern/],
    ["PATCH", one, { values: [{ fieldId: "99", value: null }] }, "#/values", /no field 99/],
    ["PATCH", one, { name: "Ada" }, "#/name", /is not known/],
    ["POST", `${one}/reactivate`, { suppression: "blocked", reason: "x" }, "#/suppression", /must be one of/],
    ["POST", `${one}/reactivate`, { suppression: "bounced", reason: " " }, "#/reason", /must have/],
    ["POST", `${PEOPLE}:search`, { search: "a b" }, "#/search", /neither an e-mail address/],
    ["POST", `${PEOPLE}:search`, { state: "gone" }, "#/state", /must be one of/],
    ["POST", `${PEOPLE}:search`, { filter: [german, { ...german, value: "x" }] }, "#/filter", /needs a code/],
    [
      ...["POST", `${PEOPLE}:bulk-preview`, { filter: { conditions: [{ ...german, value: "x" }] } }],
      ...["#/filter/conditions", /needs a code/],
    ] as never,
    ["POST", `${PEOPLE}:erase`, { email: "x" }, "#/email", /not an e-mail address/],
  ];
  for (const [method, path, body, pointer, detail] of cases) {
    const reply = await send(method, path, body);
    const [error] = reply.body.errors as readonly { readonly pointer: string; readonly detail: string }[];
    assert.equal(reply.status, 400, `${path} ${JSON.stringify(body)}`);
    assert.equal(error?.pointer, pointer, JSON.stringify(body));
    assert.match(error.detail, detail);
  }
  assert.deepEqual((await send("GET", one)).body, before);
  const invalid = await send("POST", PEOPLE, { listId: "1", email: "x" });
  assert.deepEqual(
    [invalid.status, invalid.body.outcome, invalid.body.errors],
    [422, "invalidEmail", [{ pointer: "#/email", detail: "is not an e-mail address" }]],
  );
  const unknown = await send("POST", PEOPLE, { listId: "999", email: "x@example.org" });
  assert.deepEqual(
    [unknown.status, unknown.body.outcome, unknown.body.errors],
    [404, "unknownList", [{ pointer: "#/listId", detail: "does not exist" }]],
  );
  await add("taken@example.org");
  const taken = await send("PATCH", one, { email: "taken@example.org" });
  assert.deepEqual(
    [taken.status, taken.body.errors],
    [409, [{ pointer: "#/email", detail: "is already in use" }]],
  );
});

test("a change that expects a version is refused if the subscriber has changed since", async () => {
  const one = `${PEOPLE}/${await add("version@example.org")}`;
  const etagOf = async () => (await api.send("GET", one)).headers.get("etag") ?? "";
  const change = (method: string, path: string, ifMatch: string, body?: object) =>
    api.send(method, path, { body, headers: { "If-Match": ifMatch } });
  const first = await etagOf();
  assert.equal((await change("PATCH", one, first, { firstName: "Ada" })).status, 200);
  assert.equal((await change("PATCH", one, first, { firstName: "Bob" })).status, 412);
  assert.equal((await change("POST", `${one}/erase`, first)).status, 412);
  assert.equal((await send("GET", one)).body.firstName, "Ada");
  assert.equal((await change("POST", `${one}/erase`, await etagOf())).status, 200);
});

test("a subscriber of another account, and one who does not exist, is 404 at every route", async () => {
  const id = await add("mine@example.org");
  for (const other of [id, "999999999999999"]) {
    const one = `/accounts/2/subscribers/${other}`;
    for (const [method, path, body] of [
      ["GET", one],
      ["PATCH", one, { firstName: "X" }],
      ["POST", `${one}/unsubscribe`],
      ["POST", `${one}/reactivate`, { suppression: "bounced", reason: "x" }],
      ["GET", `${one}/export`],
      ["POST", `${one}/erase`],
      ["PUT", `/accounts/2/lists/2/subscribers/${other}`],
      ["DELETE", `/accounts/2/lists/2/subscribers/${other}`],
    ] as const) {
      const { status, body: reply } = await send(method, path, body);
      assert.equal(status, 404, `${method} ${path}`);
      assert.equal(reply.thing, "subscriber");
    }
  }
  const theirs = await send("PUT", `/accounts/1/lists/2/subscribers/${id}`);
  assert.deepEqual(
    [theirs.status, theirs.body.outcome, theirs.body.errors],
    [404, "unknownList", [{ parameter: "list", detail: "does not exist" }]],
  );
  assert.equal((await send("GET", `${PEOPLE}/${id}`)).body.state, "active");
});

test("each route needs its role", async () => {
  const id = await add("roles@example.org");
  const one = `${PEOPLE}/${id}`;
  const routes = [
    ["viewer", "GET", PEOPLE],
    ["viewer", "POST", `${PEOPLE}:search`, {}],
    ["viewer", "GET", one],
    ["viewer", "GET", `${one}/export`],
    ["viewer", "POST", `${PEOPLE}:export`, { email: "roles@example.org" }],
    ["editor", "POST", PEOPLE, { listId: "1", email: "roles@example.org" }],
    ["editor", "PATCH", one, { firstName: "X" }],
    ["editor", "PUT", `/accounts/1/lists/1/subscribers/${id}`],
    ["editor", "DELETE", `/accounts/1/lists/1/subscribers/${id}`],
    ["editor", "POST", `${one}/unsubscribe`],
    ["editor", "POST", `${one}/reactivate`, { suppression: "unsubscribed", reason: "x" }],
    ["owner", "POST", `${one}/erase`],
    ["owner", "POST", `${PEOPLE}:erase`, { email: "roles@example.org" }],
  ] as const;
  const roles = ["viewer", "editor", "owner"] as const;
  for (const [role, method, path, body] of routes) {
    const lesser = roles[roles.indexOf(role) - 1];
    if (lesser !== undefined) assert.equal((await send(method, path, body, lesser)).status, 403, path);
    assert.ok((await send(method, path, body, role)).status < 300, `${role} ${method} ${path}`);
  }
});

test("hostile text is stored as it is, or refused", async () => {
  const id = await add("hostile@example.org");
  const one = `${PEOPLE}/${id}`;
  for (const text of hostileText) {
    if (text.includes("\0") || !text.isWellFormed() || text.length > 30_000) continue;
    const { status } = await send("PATCH", one, { lastName: text, values: [{ fieldId: TOWN, value: text }] });
    assert.ok([200, 400, 422].includes(status), `${status} for ${JSON.stringify(text)}`);
    assert.equal((await send("GET", one)).status, 200);
    for (const body of [{ search: text }, { name: text }])
      assert.ok(
        [200, 400].includes((await send("POST", `${PEOPLE}:search`, body)).status),
        JSON.stringify(text),
      );
    assert.ok((await send("POST", PEOPLE, { listId: "1", email: text })).status < 500);
    assert.ok((await send("PATCH", one, { values: [{ fieldId: text, value: "x" }] })).status < 500);
  }
});

test("no URL of a route takes an address or a name", async () => {
  for (const path of [`${PEOPLE}/${addressOf("ada@example.org").text}`, `${PEOPLE}/0`, `${PEOPLE}/-1`]) {
    const { status, body } = await send("GET", path);
    assert.equal(status, 400, path);
    assert.deepEqual(body.errors, [{ parameter: "subscriber", detail: "is not an id" }]);
  }
  assert.equal((await send("GET", `${PEOPLE}?search=ada`)).status, 400);
});
