/** The pages of one person: data, lists, why they get mail or not, and what can be done. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addressOf, NOW, newImport } from "../../store/actor.ts";
import { type Browser, fieldIn } from "../browser.ts";
import { type ConsoleServer, startConsole } from "../console-server.ts";
import { fillWorld, HOSTILE, type World } from "../subscribers-world.ts";

let server: ConsoleServer;
let world: World;
let editor: Browser;
before(async () => {
  server = await startConsole();
  const { user } = await server.signedIn(null);
  world = await fillWorld(server.store, server.now, user.id);
  editor = await server.signedIn("editor", world.account);
});
after(() => server.close());

const pathOf = (name: string, page = ""): string =>
  `/console/${world.account}/subscribers/${world.ids[name]}${page}`;
const dataOf = async (id: number | undefined) =>
  await server.store.subscribers.data({ account: world.account, id: id ?? 0 });
const textOf = (body: string): string => body.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");

test("a person's page shows data, lists, campaign results and what happened, with links", async () => {
  const { body } = await editor.get(pathOf("grace.hopper"));
  const text = textOf(body);
  assert.match(text, /Gets mail: on one list/);
  assert.match(text, /Regular guest\s*Yes/);
  assert.match(text, /No longer unsubscribed: reactivated by user1@example\.org\./);
  assert.match(text, /Reason: asked by mail to get the newsletter again/);
  assert.match(text, /Unsubscribed in the campaign Spring roast; recorded by the key Web shop \(f3a9…\)/);
  for (const [kind, id] of [
    ["lists", world.newsletter],
    ["campaigns", world.campaign],
    ["integrations", world.key],
  ])
    assert.ok(body.includes(`href="/console/${world.account}/${kind}/${id}"`), String(kind));
});

test("a person who gets no mail has the cause on top", async () => {
  const cause = async (name: string): Promise<string> =>
    textOf(
      /<div class="notice (?:info|warning)">[\s\S]*?<\/(?:ul|p)>/.exec(
        (await editor.get(pathOf(name))).body,
      )?.[0] ?? "",
    );
  assert.match(
    await cause("barbara.liskov"),
    /Gets no mail\s*Unsubscribed from all lists by the key Web shop \(f3a9…\)\. .* · Operation Subscriber\.Unsubscribe/,
  );
  assert.match(await cause("edsger"), /The address bounced in the campaign Spring roast/);
  assert.match(await cause("frances.allen"), /Complained about the campaign Spring roast/);
  assert.match(
    await cause("john.backus"),
    /Blocked by the pattern @spam\.example, which was added to the block list by user1@example\.org/,
  );
});

test("hostile values are escaped on every page of a person", async () => {
  const owner = await server.signedIn("owner", world.account);
  for (const page of ["", "/edit", "/history", "/campaigns", "/unsubscribe", "/reactivate", "/erase"]) {
    const { status, body } = await owner.get(pathOf("zz-hostile", page));
    assert.equal(status, 200, page);
    assert.doesNotMatch(body, /<script>alert/, page);
  }
  assert.match((await owner.get(pathOf("zz-hostile", "/edit"))).body, /&lt;script&gt;alert/);
});

test("an editor corrects data by type, and clears a value", async () => {
  const path = pathOf("ada.lovelace", "/edit");
  const { fields } = world;
  const shown = await editor.get(path);
  assert.match(shown.body, new RegExp(`type="date" [^>]*name="value-${fields.born}"`));
  assert.match(shown.body, new RegExp(`<select [^>]*name="value-${fields.vip}"`));
  assert.match(shown.body, new RegExp(`name="value-${fields.score}"[^>]*inputmode="decimal"`));
  const form = {
    version: fieldIn(shown, "version") ?? "",
    email: "ada.king@example.org",
    firstName: "Ada",
    lastName: "Lovelace",
    gender: "F",
    birthday: "1815-12-10",
    country: "GB",
    [`value-${fields.town}`]: "",
    [`value-${fields.vip}`]: "false",
    [`value-${fields.born}`]: "2020-02-29",
    [`value-${fields.score}`]: "4.50",
  };
  const saved = await editor.post(path, "save", form);
  assert.equal(saved.status, 303);
  const data = await dataOf(world.ids["ada.lovelace"]);
  assert.ok(data);
  assert.equal(data.address, "ada.king@example.org");
  assert.deepEqual(data.data, {
    firstName: "Ada",
    lastName: "Lovelace",
    gender: "F",
    birthday: "1815-12-10",
    country: "GB",
  });
  assert.deepEqual(Object.fromEntries(data.values.map(({ name, value }) => [name, value])), {
    "Regular guest": "false",
    "Customer since": "2020-02-29",
    "Cups per week": "4.5",
  });
  const text = textOf((await editor.follow(saved)).body);
  assert.match(text, /The changes are saved/);
  assert.match(text, /Last name changed from King to Lovelace/);
  assert.match(text, /Country\s*United Kingdom/);
});

test("saving without a change changes nothing", async () => {
  const path = pathOf("hedy", "/edit");
  const shown = await editor.get(path);
  const sent = await editor.post(path, "save", {
    version: fieldIn(shown, "version") ?? "",
    email: "hedy@example.org",
    firstName: "Hedy",
    lastName: "Lamarr",
  });
  assert.match((await editor.follow(sent)).body, /Nothing was changed/);
});

test("a wrong value is named beside its field, and what was typed is kept", async () => {
  const path = pathOf("hedy", "/edit");
  const { score, born } = world.fields;
  const send = async (fields: Record<string, string>) =>
    await editor.post(path, "save", { email: "hedy@example.org", firstName: "Hedwig", ...fields });
  for (const [fields, name, problem] of [
    [{ [`value-${score}`]: "many" }, `value-${score}`, /not valid for the field Cups per week/],
    [{ [`value-${born}`]: "2020-02-30" }, `value-${born}`, /not valid for the field Customer since/],
    [{ birthday: "2999-01-01" }, "birthday", /must not be in the future/i],
    [{ email: "not an address" }, "email", /Is not an e-mail address/],
    [{ email: " " }, "email", /Enter an address/],
  ] as const) {
    const { status, body } = await send(fields);
    assert.equal(status, 422, name);
    const [, error = ""] = new RegExp(`id="field-${name}-error">([^<]*)<`).exec(body) ?? [];
    assert.match(error, problem);
    assert.match(body, /value="Hedwig"/);
  }
  const taken = await send({ email: "margaret@example.org" });
  assert.match(taken.body, /is already a subscriber of this account/);
  assert.equal((await dataOf(world.ids.hedy))?.data.firstName, "Hedy");
});

test("of two editors of one person, the second is told and overwrites nothing", async () => {
  const path = pathOf("katherine.johnson", "/edit");
  const version = fieldIn(await editor.get(path), "version") ?? "";
  const email = "katherine.johnson@example.net";
  const save = (firstName: string) => editor.post(path, "save", { version, email, firstName });
  assert.equal((await save("Kate")).status, 303);
  const second = await save("Kathy");
  assert.equal(second.status, 409);
  assert.match(second.body, /Somebody else has changed this/);
  assert.match(second.body, /value="Kathy"/);
  assert.equal((await dataOf(world.ids["katherine.johnson"]))?.data.firstName, "Kate");
});

test("a person is added to a list and removed from it", async () => {
  const path = pathOf("oedoen");
  const list = String(world.events);
  assert.match((await editor.post(path, "add", { list: "" })).body, /field-list-error">Choose a list/);
  const added = await editor.follow(await editor.post(path, "add", { list }));
  assert.match(added.body, /Added to the list “Events in Berlin”/);
  const removed = await editor.follow(await editor.post(path, "remove", { removedList: list }));
  assert.match(removed.body, /Removed from the list “Events in Berlin”/);
  assert.deepEqual(
    (await dataOf(world.ids.oedoen))?.lists.map(({ id }) => id),
    [world.newsletter],
  );
  assert.doesNotMatch((await editor.get(pathOf("edsger"))).body, /name="do" value="add"/);
});

test("a person is unsubscribed after a page that says what happens, and reactivated for a reason", async () => {
  const path = pathOf("oedoen");
  assert.match((await editor.get(`${path}/unsubscribe`)).body, /gets no more mail from this account/);
  await editor.post(`${path}/unsubscribe`, "unsubscribe");
  assert.equal((await dataOf(world.ids.oedoen))?.state, "unsubscribed");
  const missing = await editor.post(`${path}/reactivate`, "reactivate", {
    suppression: "unsubscribed",
    reason: " ",
  });
  assert.equal(missing.status, 422);
  assert.match(missing.body, /field-reason-error/);
  assert.equal((await dataOf(world.ids.oedoen))?.state, "unsubscribed");
  const done = await editor.post(`${path}/reactivate`, "reactivate", {
    suppression: "unsubscribed",
    reason: HOSTILE,
  });
  const { body } = await editor.follow(done);
  assert.match(body, /The person is active again/);
  assert.match(body, /Reason: &quot;&gt;&lt;script/);
  assert.match((await editor.get(`${path}/reactivate`)).body, /nothing to reactivate/);
});

test("what an import has recorded has the date of the import and that of its file", async () => {
  const { store } = server;
  const { account, newsletter: list } = world;
  const joinedAt = Date.UTC(2019, 4, 1, 12);
  const parts = await newImport(store, account, list);
  const person = { joinedAt, suppressions: {}, data: {}, values: [] };
  await store.imports.add({
    ...{ ...parts, at: NOW },
    people: [{ ...person, address: addressOf("imported@example.org") }],
  });
  const found = await store.subscribers.find({ account, address: addressOf("imported@example.org") });
  const { body } = await editor.get(`/console/${account}/subscribers/${found?.id}/history`);
  assert.match(textOf(body), /Added to the list .*Imported on 14 Nov 2026, 09:30\s*Member since 1 May 2019/);
});

test("the whole history is shown in pages", async () => {
  const { account, events, ids } = world;
  const address = addressOf("margaret@example.org");
  const of = { account, origin: { kind: "operator" }, recordedCall: null, address, list: events } as const;
  for (let n = 0; n < 30; n += 1) {
    await server.store.subscribers.add({ ...of, at: server.now - 1000 + n });
    await server.store.subscribers.remove({ ...of, at: server.now - 1000 + n });
  }
  assert.ok(ids.margaret);
  assert.match((await editor.get(pathOf("margaret"))).body, /margaret|\/history">/);
  const first = await editor.get(pathOf("margaret", "/history"));
  assert.equal(first.body.match(/class="timeline-sign/g)?.length, 50);
  const [, next = ""] = /href="([^"]*)" rel="next"/.exec(first.body) ?? [];
  const second = await editor.get(next.replaceAll("&amp;", "&"));
  assert.match(textOf(second.body), /Added to the list Newsletter by the key Web shop/);
});

test("everything about a person is downloaded as JSON, under a name that does not contain the address", async () => {
  const viewer = await server.signedIn("viewer", world.account);
  const { body, headers } = await viewer.get(pathOf("barbara.liskov", "/download"));
  const id = world.ids["barbara.liskov"];
  assert.equal(headers.get("content-disposition"), `attachment; filename="subscriber-${id}.json"`);
  const document = JSON.parse(body) as { email: string; subscriber: { lists: unknown[] } };
  assert.equal(document.email, "barbara.liskov@example.net");
  assert.equal(document.subscriber.lists.length, 1);
});

test("an owner erases a person after a page that says what goes and what stays", async () => {
  const owner = await server.signedIn("owner", world.account);
  const path = pathOf("barbara.liskov", "/erase");
  const before = textOf((await owner.get(path)).body);
  assert.match(before, /2 field values, 1 membership, 2 history entries/);
  assert.match(before, /still gets no mail: a hash of it is kept/);
  assert.match(before, /removed the next night: /);
  const active = textOf((await owner.get(pathOf("hedy", "/erase"))).body);
  assert.match(active, /can be added again, as a new subscriber/);
  const done = await owner.post(path, "erase");
  assert.match(textOf(done.body), /The person is erased/);
  assert.match(textOf(done.body), /A hash of the address is kept/);
  assert.equal(await dataOf(world.ids["barbara.liskov"]), null);
  assert.equal((await owner.get(pathOf("barbara.liskov"))).status, 404);
});

test("an erasure names the former addresses of the person", async () => {
  const owner = await server.signedIn("owner", world.account);
  const done = await owner.post(pathOf("ada.lovelace", "/erase"), "erase");
  assert.match(textOf(done.body), /had another address before: ada\.lovelace@example\.org/);
});

test("what a role may not do is not shown, and is refused", async () => {
  const viewer = await server.signedIn("viewer", world.account);
  const { body } = await viewer.get(pathOf("hedy"));
  assert.match(body, /\/download/);
  assert.doesNotMatch(body, /\/(?:edit|unsubscribe|reactivate|erase)"|name="do"/);
  for (const [page, form] of [
    ["/edit", "save"],
    ["/unsubscribe", "unsubscribe"],
    ["/reactivate", "reactivate"],
    ["/erase", "erase"],
  ] as const) {
    assert.equal((await viewer.get(pathOf("hedy", page))).status, 403, page);
    assert.equal((await viewer.post(pathOf("hedy", page), form)).status, 403, page);
  }
  assert.equal((await viewer.post(pathOf("hedy"), "remove", { removedList: "1" })).status, 403);
  assert.doesNotMatch((await editor.get(pathOf("hedy"))).body, /\/erase"/);
  assert.equal((await editor.post(pathOf("hedy", "/erase"), "erase")).status, 403);
  assert.equal((await dataOf(world.ids.hedy))?.state, "active");
});

test("a person of another account is not found on any page", async () => {
  const other = (await server.store.accounts.create({ name: "Other", at: 1 })).id;
  const stranger = await server.signedIn("owner", other);
  for (const page of [
    "",
    "/edit",
    "/history",
    "/campaigns",
    "/unsubscribe",
    "/reactivate",
    "/erase",
    "/download",
  ]) {
    const { status } = await stranger.get(`/console/${other}/subscribers/${world.ids.hedy}${page}`);
    assert.equal(status, 404, page);
  }
  const there = `/console/${other}/subscribers/${world.ids.hedy}`;
  assert.equal((await stranger.post(`${there}/erase`, "erase")).status, 404);
  assert.equal((await dataOf(world.ids.hedy))?.state, "active");
  assert.deepEqual(server.defects, []);
});
