/** A form that creates something and is sent twice: by a double click, or over a connection that broke. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { databases, start } from "./both-databases.ts";
import { type Browser, fieldIn } from "./browser.ts";

/** Opens the page, fills in its form, and sends it twice at once and a third time. */
async function sendThrice(
  browser: Browser,
  path: string,
  form: string,
  fields: Readonly<Record<string, string>>,
) {
  const once = fieldIn(await browser.get(path), "once") ?? "";
  const send = () => browser.post(path, form, { ...fields, once });
  return [...(await Promise.all([send(), send()])), await send()];
}

for (const [database, options] of databases) {
  test(`a form that creates something creates it once on ${database}`, async (t) => {
    const server = await start(t, options);
    const browser = await server.signedIn(null);
    for (const [path, form, fields] of [
      ["/console/1/lists/new", "create", { name: "Winter" }],
      ["/console/accounts", "create", { name: "Winter" }],
      ["/console/1/campaigns/new", "record", { name: "Winter", lists: "1" }],
    ] as const) {
      const places = (await sendThrice(browser, path, form, fields)).map(({ headers }) =>
        headers.get("location"),
      );
      assert.match(places[0] ?? "", /\d+$/, path);
      assert.equal(new Set(places).size, 1, path);
    }
  });

  test(`a secret that was shown is not made again if its form is sent twice on ${database}`, async (t) => {
    const server = await start(t, options);
    const browser = await server.signedIn(null);
    for (const [path, form, fields] of [
      ["/console/1/integrations/new", "create", { name: "Shop", scope: "full" }],
      ["/console/me", "create-token", { tokenName: "Shop", tokenRole: "viewer" }],
    ] as const) {
      const replies = await sendThrice(browser, path, form, fields);
      assert.deepEqual(
        replies.map(({ status }) => status).sort((one, other) => one - other),
        [200, 409, 409],
        path,
      );
      assert.match(replies.find(({ status }) => status === 409)?.body ?? "", /This form was sent twice/);
    }
    const { rows } = await server.store.keys.all.page({ account: 1 }, { after: null, limit: 10 });
    assert.equal(rows.length, 1);
  });
}

test("a form that was changed, or opened again, is another one", async (t) => {
  const server = await start(t, {});
  const browser = await server.signedIn("editor");
  const page = "/console/1/lists/new";
  const once = fieldIn(await browser.get(page), "once") ?? "";
  const other = fieldIn(await browser.get(page), "once") ?? "";
  assert.notEqual(once, other);
  const places = new Set<string | null>();
  for (const fields of [
    { name: "Winter", once },
    { name: "Summer", once },
    { name: "Winter", once: other },
    { name: "Winter" },
  ])
    places.add((await browser.post(page, "create", fields)).headers.get("location"));
  assert.equal(places.size, 4);
});

test("the form of one user does not answer that of another", async (t) => {
  const server = await start(t, {});
  const [one, another] = [await server.signedIn("editor"), await server.signedIn("editor")];
  const fields = { name: "Winter", once: "the same" };
  const first = await one.post("/console/1/lists/new", "create", fields);
  const second = await another.post("/console/1/lists/new", "create", fields);
  assert.notEqual(first.headers.get("location"), second.headers.get("location"));
});

test("a form that its page does not show any more says why it was refused", async (t) => {
  const server = await start(t, {});
  const browser = await server.signedIn("editor");
  const begun = await browser.post("/console/1/imports", "begin", { fileName: "a.csv", size: "2" });
  const page = begun.headers.get("location") ?? "";
  const send = (offset: string, text: string) => {
    const lines = [
      ...["--form", 'Content-Disposition: form-data; name="do"', "", "part"],
      ...["--form", 'Content-Disposition: form-data; name="offset"', "", offset],
      ...["--form", 'Content-Disposition: form-data; name="part"; filename="p"', "", text, "--form--", ""],
    ];
    const headers = { "Content-Type": "multipart/form-data; boundary=form" };
    return browser.send("POST", page, { body: lines.join("\r\n"), headers });
  };
  assert.equal((await send("0", "a\n")).status, 303);
  await browser.post(page, "finish");
  const { status, body } = await send("2", "b");
  assert.equal(status, 422);
  assert.match(body, /role="alert"[\s\S]*Upload 1 is finished, with 2 bytes/);
});
