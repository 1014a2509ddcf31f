/** The pages about custom fields. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MAX_COUNTED } from "#admin/fields.ts";
import { formatsFor } from "#console/kit/formats.ts";
import { usageText } from "#console/pages/fields.ts";
import type { DataType, Field } from "#domain/field/field.ts";
import type { FieldUsage } from "#domain/ports/fields.ts";
import { addressOf } from "../store/actor.ts";
import { fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = `<script>alert("x")</script>'"&`;
let server: ConsoleServer;
before(async () => {
  server = await startConsole();
  for (const name of ["Default", "Other"]) await server.store.accounts.create({ name, at: 1 });
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

async function newField(name: string, account = 1, type: DataType = "STRING"): Promise<Field> {
  const field = await server.store.fields.create({
    ...{ account, id: null, at: 1, field: { name, type, isPrivate: false } },
  });
  assert.ok(typeof field === "object");
  return field;
}
async function give(email: string, field: Field, value: string): Promise<void> {
  const list = (await server.store.lists.create({ account: 1, name: email, at: 1 })).id;
  const none = { firstName: null, lastName: null, gender: null, birthday: null, countryNumber: null };
  await server.store.subscribers.addWithData({
    ...{ account: 1, at: 1, origin: { kind: "operator" }, recordedCall: null, list },
    ...{ address: addressOf(email), data: { ...none, values: [{ field: field.id, value }] } },
  });
}

test("without a field, the page says what to do first, by role", async () => {
  const [editor, viewer] = [await server.signedIn("editor", 2), await server.signedIn("viewer", 2)];
  assert.match(
    (await editor.get("/console/2/fields")).body,
    /No fields yet.*href="\/console\/2\/fields\/new"/s,
  );
  assert.doesNotMatch((await viewer.get("/console/2/fields")).body, /fields\/new/);
});

test("a field is created with its type and privacy, and shown with how many people have a value", async () => {
  const editor = await server.signedIn("editor");
  const given = { name: HOSTILE, type: "SCORE", isPrivate: "true", id: "" };
  const sent = await editor.post("/console/1/fields/new", "create", given);
  assert.equal(sent.headers.get("location"), "/console/1/fields");
  const { rows } = await server.store.fields.all.page({ account: 1 }, { after: null, limit: 10 });
  const field = rows.find(({ name }) => name === HOSTILE);
  assert.ok(field);
  assert.deepEqual([field.type, field.isPrivate], ["SCORE", true]);
  await give("ada@example.org", field, "3");
  await give("grace@example.org", field, "4");
  const { body } = await editor.follow(sent);
  assert.match(body, /was created/);
  assert.doesNotMatch(body, /<script>alert/);
  assert.match(body, /data-label="Type">Score</);
  assert.match(body, /data-label="People with a value">2</);
  assert.match(body, /<span class="badge neutral">Private</);
});

test("a name that cannot be used, or an id that is no number, is explained beside its field", async () => {
  const administrator = await server.signedIn(null);
  await newField("Town");
  const send = (name: string, id = "") =>
    administrator.post("/console/1/fields/new", "create", { name, type: "DATE", isPrivate: "true", id });
  const exists = await send("town");
  assert.equal(exists.status, 422);
  assert.match(exists.body, /id="field-name-error"/);
  assert.equal(fieldIn(exists, "name"), "town");
  assert.match(exists.body, /<option value="DATE" selected>/);
  assert.match(exists.body, /name="isPrivate"[^>]* checked/);
  assert.match((await send(" ")).body, /id="field-name-error"/);
  assert.match((await send("New", "x")).body, /id="field-id-error">Must be a whole number/);
  assert.match((await send("New", "9999999999999999999")).status === 422 ? "refused" : "", /refused/);
});

test("the name of a built-in field is refused, with that field; a program may have created such a one", async () => {
  const owner = await server.signedIn("owner");
  for (const [name, builtIn] of [
    ["Country", "Country"],
    ["FIRST_NAME", "First name"],
    ["e-mail", "E-mail address"],
    ["Email address", "E-mail address"],
  ] as const) {
    const sent = await owner.post("/console/1/fields/new", "create", { name, type: "STRING" });
    assert.equal(sent.status, 422, name);
    assert.ok(
      sent.body.includes(`id="field-name-error">Is that of the built-in field &#39;${builtIn}&#39;`),
      name,
    );
  }
  const genre = await owner.post("/console/1/fields/new", "create", { name: "Genre", type: "STRING" });
  assert.equal(genre.status, 303);
  const old = await newField("Birthday");
  await give("born@example.org", old, "in spring");
  assert.match((await owner.get("/console/1/fields")).body, />Birthday</);
  const { id } = await newField("Origin");
  const renamed = await owner.post(`/console/1/fields/${id}/rename`, "rename", { name: "gender" });
  assert.match(renamed.body, /id="field-name-error">Is that of the built-in field/);
});

test("a field is renamed; of two who do so, the second is told", async () => {
  const editor = await server.signedIn("editor");
  const { id } = await newField("Old");
  await newField("Other name");
  const path = `/console/1/fields/${id}/rename`;
  const version = fieldIn(await editor.get(path), "version") ?? "";
  const taken = await editor.post(path, "rename", { name: "OTHER NAME", version });
  assert.match(taken.body, /id="field-name-error"/);
  const sent = await editor.post(path, "rename", { name: "Newer", version });
  assert.match((await editor.follow(sent)).body, /is now called “Newer”/);
  assert.equal((await editor.post(path, "rename", { name: "Mine", version })).status, 409);
});

test("a deletion says how many values go", async () => {
  const owner = await server.signedIn("owner");
  const field = await newField("Going");
  const path = `/console/1/fields/${field.id}/delete`;
  assert.match((await owner.get(path)).body, /Nobody has a value/);
  await give("going@example.org", field, "x");
  const asked = await owner.get(path);
  assert.match(asked.body, /Delete the field “Going”\?.*1 value is deleted.*history stays/s);
  const sent = await owner.post(path, "delete", { version: fieldIn(asked, "version") ?? "" });
  assert.equal(sent.status, 303);
  assert.match((await owner.follow(sent)).body, /“Going” (?:was|is being) deleted/);
  assert.equal((await owner.get(path)).status, 404);
});

test("of more people than are counted, the share of those who were is shown", () => {
  const usage: FieldUsage = {
    ...{ subscribers: MAX_COUNTED, hasMore: true },
    counts: [{ field: 1n, values: 3412 }],
  };
  const formats = formatsFor("en-GB", null);
  assert.equal(usageText(usage, 1n, formats), "about 34.1%");
  assert.equal(usageText(usage, 2n, formats), "about 0%");
  assert.equal(usageText({ ...usage, hasMore: false }, 1n, formats), "3,412");
});

test("each role sees and does what it may, and only in its account", async () => {
  const field = await newField("Roles");
  const at = `/console/1/fields/${field.id}`;
  const [viewer, editor] = [await server.signedIn("viewer"), await server.signedIn("editor")];
  assert.doesNotMatch((await viewer.get("/console/1/fields")).body, /\/rename"|\/delete"|fields\/new/);
  assert.match((await editor.get("/console/1/fields")).body, /\/rename"/);
  assert.doesNotMatch((await editor.get("/console/1/fields")).body, /\/delete"/);
  for (const path of [`${at}/rename`, `${at}/delete`, "/console/1/fields/new"])
    assert.equal((await viewer.get(path)).status, 403, path);
  assert.equal((await viewer.post(`${at}/rename`, "rename", { name: "X" })).status, 403);
  assert.equal((await editor.post(`${at}/delete`, "delete")).status, 403);
  const other = await newField("Theirs", 2);
  const owner = await server.signedIn("owner");
  for (const rest of ["rename", "delete"]) {
    assert.equal((await owner.get(`/console/1/fields/${other.id}/${rest}`)).status, 404);
    assert.equal((await owner.post(`/console/1/fields/${other.id}/${rest}`, rest)).status, 404);
  }
});
