/** The form in which a campaign is written: its preview, and what a browser gets to frame. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { previewDraft } from "#admin/campaigns/preview.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { threadedRenderer } from "#delivery/previews/threaded-renderer.ts";
import { mailTo, senderValues } from "../sending-campaign.ts";
import { addressOf } from "../store/actor.ts";
import { fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const CAMPAIGNS = "/console/1/campaigns";
const PREVIEW = `${CAMPAIGNS}/draft-preview`;

let server: ConsoleServer;
let editor: Awaited<ReturnType<ConsoleServer["signedIn"]>>;
let sender = 0;
before(async () => {
  server = await startConsole({ mailBase: null });
  const { store } = server;
  await store.accounts.create({ name: "Acme", at: 1 });
  await store.lists.create({ account: 1, name: "News", at: 1 });
  const field = { name: "Shoe size", type: "STRING", isPrivate: false } as const;
  await store.fields.create({ account: 1, id: null, field, at: 1 });
  const by = { account: 1, list: 1, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
  await store.subscribers.add({ ...by, address: addressOf("grace@example.org") });
  sender = (await store.senders.create({ ...senderValues, account: 1, createdAt: 1 })).id;
  editor = await server.signedIn("editor");
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

const written = { name: "Spring", sender: "", subject: "", preheader: "", kind: "markdown", markdown: "" };
const shown = async (fields: Readonly<Record<string, string>>): Promise<string> => {
  const { status, body } = await editor.post(PREVIEW, "submit", { ...written, ...fields });
  assert.equal(status, 200);
  return body;
};
const partOf = (body: string, name: string): string | undefined =>
  body.split(`<div data-shown="${name}">`)[1]?.split(/<div data-shown|<textarea|<div data-merge/)[0];

test("a draft that was never saved is shown, with what it lacks above it", async () => {
  const empty = await shown({});
  const lacks = [/subject is missing/, /No sender is chosen/, /does not know its public address/];
  for (const one of lacks) assert.match(partOf(empty, "notes") ?? "", one);
  assert.match(empty, /<textarea data-html>\n&lt;!doctype html/);
  const body = await shown({
    ...{ sender: String(sender), subject: "Hi {{ first_name }}", preheader: "Come & see" },
    markdown: "# Dear {{ last_name }}\r\n",
  });
  assert.match(body, /&lt;h1.*&gt;Dear Lovelace&lt;\/h1&gt;/);
  assert.match(partOf(body, "text") ?? "", /Dear Lovelace/i);
  assert.match(
    partOf(body, "inbox") ?? "",
    /Acme News.*<strong>Hi Ada<.*Come &amp; see.*Subject: 6 characters/s,
  );
  assert.doesNotMatch(partOf(body, "notes") ?? "", /subject|sender/i);
  assert.doesNotMatch((await editor.get(CAMPAIGNS)).body, /Spring/);
});

test("a message without an unsubscribe link is shown, and the link is asked for", async () => {
  const body = await shown({ kind: "html", html: "<p>Only this</p>", subject: "News" });
  assert.match(body, /&lt;p&gt;Only this&lt;\/p&gt;/);
  assert.match(partOf(body, "notes") ?? "", /does not show an unsubscribe link/);
});

test("a mistake in a template is named with its line, and the last message is not replaced", async () => {
  const body = await shown({ subject: "News", markdown: "Hello\n\n{{ fist_name }}" });
  assert.match(partOf(body, "notes") ?? "", /line 3: There is no merge field &quot;fist_name&quot;/);
  for (const part of ["inbox", "text", "html"]) assert.equal(partOf(body, part), undefined, part);
  assert.doesNotMatch(body, /data-html/);
  assert.match(await shown({ subject: "x".repeat(501) }), /subject: must have at most 500 characters/i);
});

test("merge fields have the values of the person for whom the draft is shown", async () => {
  const value = (body: string, name: string): string | undefined =>
    body.split(`<code>{{ ${name} }}</code> <span data-value>`)[1]?.split("</span>")[0];
  const sample = await shown({ subject: "News", markdown: "{{ first_name }}" });
  assert.equal(value(sample, "first_name"), "Ada");
  assert.equal(value(sample, "fields[&quot;Shoe size&quot;]"), "sample");
  assert.equal(value(sample, "campaign_name"), "Spring");
  const nobody = await shown({ subject: "News", markdown: "{{ first_name }}", "preview-to": "no values" });
  assert.equal(value(nobody, "first_name"), "");
  assert.match(partOf(nobody, "notes") ?? "", /first_name has no value/);
  const to = (email: string) => shown({ "preview-to": "subscriber", "preview-email": email });
  assert.equal(value(await to("grace@example.org"), "email"), "grace@example.org");
  assert.match(await to("nobody@example.org"), /There is no subscriber with the address nobody@example\.org/);
});

test("of a user who types, one draft is rendered and the latest waits, and those between are not rendered", async () => {
  const { store, outbox } = server;
  const renderer = threadedRenderer();
  const admin: Admin = {
    ...{ store, mail: { ...mailTo(outbox), renderer }, clock: Date.now },
    actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "editor" },
    continueJob: () => assert.fail("no job is left"),
  };
  const draft = { account: 1, campaign: null, name: "Spring", to: "sample", markdown: "Hello" } as const;
  const asked = await Promise.allSettled(
    ["1", "2", "3", "4"].map((subject) => perform(admin, previewDraft, { ...draft, subject })),
  );
  await renderer.close();
  const made = asked.filter(({ status }) => status === "fulfilled");
  assert.equal(made.length, 2);
  for (const one of asked)
    if (one.status === "rejected") assert.match(String(one.reason), /a newer preview was asked for/);
});

test("what a frame shows has its own policy: no script, and pictures only if the user asks for them", async () => {
  const html = "<style>p { color: red }</style><p onclick='alert(1)'>Hi</p>";
  const frame = (fields: Readonly<Record<string, string>>) =>
    editor.post(`${PREVIEW}/message`, "submit", { html, ...fields });
  const { body, headers } = await frame({});
  assert.equal(body, html);
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; style-src 'unsafe-inline'; img-src data:; .*; sandbox$/);
  assert.match(
    (await frame({ pictures: "true" })).headers.get("content-security-policy") ?? "",
    /img-src data: https: http:;/,
  );
  const elsewhere = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
  assert.equal((await editor.post(`${PREVIEW}/message`, "submit", { html }, elsewhere)).status, 403);
  const viewer = await server.signedIn("viewer");
  assert.equal((await viewer.post(`${PREVIEW}/message`, "submit", { html })).status, 403);
});

test("a script that saves gets the new version, and whoever is late sees both texts and may replace the other", async () => {
  const draft = { ...written, subject: "First", markdown: "Hello\nAda" };
  const made = await editor.post(`${CAMPAIGNS}/new`, "create", { ...draft, next: "edit" });
  const path = made.headers.get("location") ?? "";
  assert.match(path, /\/campaigns\/\d+\/edit$/);
  const version = fieldIn(await editor.get(path), "version") ?? "";
  const saved = await editor.post(path, "edit", { ...draft, version, subject: "Second", next: "stay" });
  assert.equal(saved.status, 200);
  const next = fieldIn(saved, "version") ?? "";
  assert.notEqual(next, version);
  assert.equal(fieldIn(await editor.get(path), "version"), next);
  const late = await editor.post(path, "edit", {
    ...draft,
    version,
    subject: "Mine",
    markdown: "Hello\nGrace",
  });
  assert.equal(late.status, 409);
  const [, differs = ""] = late.body.split("What differs");
  assert.match(differs, /Saved by somebody else<.*<mark>Second<.*Yours<.*<mark>Mine</s);
  assert.match(differs, /Hello\n<mark>Ada<.*Hello\n<mark>Grace</s);
  assert.doesNotMatch(differs.split("</section>")[0] ?? "", /<h3>Preheader/);
  const mine = { ...draft, version: fieldIn(late, "version") ?? "", subject: "Mine" };
  assert.equal((await editor.post(path, "edit", mine)).status, 303);
  assert.match((await editor.get(path)).body, /value="Mine"/);
});

test("an earlier version is looked at and restored, and what was there stays a version", async () => {
  const draft = { ...written, subject: "First {{ first_name }}", markdown: "# Hello" };
  const made = await editor.post(`${CAMPAIGNS}/new`, "create", { ...draft, next: "edit" });
  const path = made.headers.get("location") ?? "";
  const versions = path.replace(/edit$/, "versions");
  server.now += 11 * 60_000;
  const version = fieldIn(await editor.get(path), "version") ?? "";
  await editor.post(path, "edit", { ...draft, version, subject: "Second", markdown: "# Bye" });
  const listed = await editor.get(versions);
  assert.equal(listed.body.match(/versions\/\d+"/g)?.join(), 'versions/2",versions/1"');
  assert.match(listed.body, new RegExp(editor.user.email));
  const look = await editor.get(`${versions}/1`);
  assert.match(look.body, /First \{\{ first_name \}\}.*# Hello/s);
  assert.match((await editor.get(`${versions}/1/message`)).body, /<h1.*Hello<\/h1>/s);
  assert.equal((await editor.get(`${versions}/9`)).status, 404);
  const restored = await editor.post(`${versions}/1`, "restore");
  assert.equal(restored.headers.get("location"), path);
  assert.match((await editor.get(path)).body, /value="First \{\{ first_name \}\}"/);
  assert.match((await editor.get(versions)).body, /versions\/3".*versions\/2".*versions\/1"/s);
  const viewer = await server.signedIn("viewer");
  assert.equal((await viewer.post(`${versions}/2`, "restore")).status, 403);
});
