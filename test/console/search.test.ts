/** The one search field at the top: what it finds, where it leads, and that addresses stay out of URLs. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { actor } from "../store/actor.ts";
import type { Browser } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = `<script>alert(1)</script>`;
let server: ConsoleServer;
before(async () => {
  server = await startConsole();
  const { store } = server;
  for (const name of ["Default", "Other"]) await store.accounts.create({ name, at: 1 });
  const of = actor(store, 1, (email) => ({
    ...{ operation: "Subscriber.Add", args: JSON.stringify({ email }), isCut: false },
  }));
  const news = await of.list("News");
  for (const name of ["Newcomers", HOSTILE]) await of.list(name);
  for (const who of ["ada", "adam", "news"]) await of.add(news, `${who}@example.org`);
  await of.addData(news, "grace@example.org", { lastName: "Lovelace" });
  await of.add(9999, "ada@example.org");
  await store.campaigns.record({ account: 1, name: "news", lists: [news], createdAt: 1, sentAt: null });
  await store.keys.create({
    ...storedForm("4F2A-KEY-OF-THIS-TEST"),
    ...{ account: 1, label: "", scope: "full", expiresAt: null, at: 1 },
  });
  const other = actor(store, 2);
  await other.add(await other.list("Newsletter of the others"), "ada@example.com");
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

const SEARCH = "/console/1/search";
/** As the form at the top sends it. */
const search = (browser: Browser, q: string) =>
  browser.send("POST", SEARCH, { body: String(new URLSearchParams({ q })) });

test("every page of an account has the field, which posts", async () => {
  const { body } = await (await server.signedIn("viewer")).get("/console/1");
  assert.match(body, /<form action="\/console\/1\/search" method="post">/);
  assert.match(body, /name="q" value=""/);
});

test("exactly one thing leads straight to its page", async () => {
  const viewer = await server.signedIn("viewer");
  for (const [text, path] of [
    ["ada@example.org", "/subscribers/1"],
    [" ADA@Example.ORG ", "/subscribers/1"],
    ["newcomers", "/lists/2"],
    ["4f2a", "/integrations/1"],
    ["1", "/refused-calls/1"],
  ] as const) {
    const { status, headers } = await search(viewer, text);
    assert.deepEqual([status, headers.get("location")], [303, `/console/1${path}`], text);
  }
});

test("several things are shown by kind, and the address of the page does not say what was searched for", async () => {
  const viewer = await server.signedIn("viewer");
  // A list and a campaign have this name.
  const sent = await search(viewer, "news");
  const location = sent.headers.get("location") ?? "";
  assert.match(location, /^\/console\/1\/search\?filter=[\w-]+$/);
  const { body } = await viewer.follow(sent);
  assert.match(body, /Results for “news”/);
  for (const link of [
    `href="/console/1/lists/1">News<`,
    `href="/console/1/campaigns/1">news<`,
    `href="/console/1/subscribers/3">news@example.org<`,
  ])
    assert.ok(body.includes(link), link);
  assert.match(body, /name="q" value="news"/);
  assert.doesNotMatch(body, /others/);
  const begun = await search(viewer, "ada@example");
  assert.doesNotMatch(begun.headers.get("location") ?? "", /ada/);
  assert.match((await viewer.follow(begun)).body, /ada@example\.org/);
});

test("hostile text is shown as text", async () => {
  const viewer = await server.signedIn("viewer");
  for (const text of [HOSTILE.slice(0, -1), `"><b>${HOSTILE}`]) {
    const { body } = await viewer.follow(await search(viewer, text));
    assert.doesNotMatch(body, /<script>alert|<b>/);
    assert.match(body, /&lt;script&gt;alert\(1\)/);
  }
});

test("without a text or a result, the page says what can be found", async () => {
  const viewer = await server.signedIn("viewer");
  assert.equal((await search(viewer, " ")).headers.get("location"), SEARCH);
  assert.match((await viewer.get(SEARCH)).body, /What are you looking for\?/);
});

test("what nothing begins with is searched for among the subscribers, as a name or a domain", async () => {
  const viewer = await server.signedIn("viewer");
  for (const [text, shown] of [
    ["Lovelace", /name="name" value="Lovelace"[\s\S]*grace@example\.org/],
    ["@example.org", /name="search" value="@example\.org"[\s\S]*ada@example\.org/],
    ["zzz", /name="name" value="zzz"[\s\S]*Nobody found/],
    ["a b@c", /name="name" value="a b@c"/],
    ["nobody@example.org", /nobody@example\.org is not a subscriber/],
  ] as const) {
    const sent = await search(viewer, text);
    assert.match(sent.headers.get("location") ?? "", /^\/console\/1\/subscribers\?filter=[\w-]+$/, text);
    assert.match((await viewer.follow(sent)).body, shown);
  }
  const others = await viewer.follow(await search(viewer, "news"));
  const [before = ""] = others.body.split("Search subscribers for “news”");
  const href = [...before.matchAll(/href="([^"]+)"/g)].at(-1)?.[1] ?? "";
  assert.match((await viewer.get(href)).body, /name="name" value="news"/);
});

test("a text that nothing can be called is refused, and stays in the field", async () => {
  const { status, body } = await search(await server.signedIn("viewer"), "x".repeat(3000));
  assert.equal(status, 422);
  assert.match(body, /role="alert"/);
  assert.match(body, /name="q" value="x{3000}"/);
});

test("the result of a search cannot be opened in another account, or be made up", async () => {
  const administrator = await server.signedIn(null);
  const { headers } = await search(administrator, "ada@example");
  const filter = (headers.get("location") ?? "").split("?")[1] ?? "";
  for (const path of [`/console/2/search?${filter}`, `${SEARCH}?filter=made-up`])
    assert.equal((await administrator.get(path)).status, 400, path);
  const stranger = await server.signedIn("owner", 2);
  assert.equal((await search(stranger, "ada")).status, 404);
});
