/** A form that creates something and is sent twice: by a double click, or over a connection that broke. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { finishJobs } from "../api/v2/finish-jobs.ts";
import type { Received } from "../send-request.ts";
import { addressOf } from "../store/actor.ts";
import { databases, start } from "./both-databases.ts";
import { type Browser, fieldIn } from "./browser.ts";

/** Opens the page, fills in its form, and sends it twice at once and a third time. */
async function sendThrice(
  browser: Browser,
  path: string,
  form: string,
  fields: Readonly<Record<string, string>>,
) {
  const once = fieldIn(await browser.get(path), "once");
  assert.ok(once !== null, `the form of ${path} has no random number`);
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
      ["/console/1/campaigns/record", "record", { name: "Winter", lists: "1" }],
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

for (const [database, options] of databases)
  test(`a change to many is made once if its form is sent twice on ${database}`, async (t) => {
    const server = await start(t, options);
    const { store } = server;
    const browser = await server.signedIn("editor");
    const cause = { account: 1, at: 1, origin: { kind: "operator" }, list: 1 } as const;
    for (const name of ["ada", "grace"])
      await store.subscribers.add({
        ...cause,
        address: addressOf(`${name}@example.org`),
        recordedCall: null,
      });
    for (const email of ["ada@@example", "grace@"]) {
      const args = JSON.stringify({ SubscribersListID: "1", EMail: email });
      const recordedCall = { operation: "Subscriber.Add", args, isCut: false };
      await store.subscribers.add({ ...cause, address: null, recordedCall });
    }
    const group = "operation=Subscriber.Add&outcome=InvalidEmail";
    const noticeAfter = async (reply: Received): Promise<string | undefined> =>
      /id="notice"[\s\S]*?<\/p>/.exec((await browser.follow(reply)).body)?.[0];
    for (const [path, form, fields] of [
      ["/console/1/subscribers/change?list=1", "change", { kind: "unsubscribe" }],
      [`/console/1/refused-calls/group/replay?${group}`, "replay", {}],
    ] as const) {
      const replies = await sendThrice(browser, path, form, fields);
      const places = new Set(replies.map(({ headers }) => headers.get("location")));
      assert.equal(places.size, 1, path);
      assert.match([...places][0] ?? "", /\/jobs\/\d+$/, path);
    }
    const { rows } = await store.jobs.all.page({ account: 1 }, { after: null, limit: 10 });
    assert.equal(rows.length, 2);
    for (const [path, form, fields] of [
      ["/console/1/subscribers/change?ids=1-2", "change", { kind: "remove", changeList: "1" }],
      [`/console/1/refused-calls/group?${group}`, "selected", { id: "1", step: "dismiss" }],
    ] as const) {
      const replies = await sendThrice(browser, path, form, fields);
      assert.deepEqual(
        replies.map(({ status }) => status),
        [303, 303, 303],
        path,
      );
      const last = replies.at(-1);
      assert.ok(last !== undefined);
      assert.match((await noticeAfter(last)) ?? "", /2 people|1 call|dismissed|changed/i, path);
    }
  });

for (const [database, options] of databases)
  test(`an import that could not start creates no second list when it is tried again on ${database}`, async (t) => {
    const server = await start(t, options);
    const { store } = server;
    const browser = await server.signedIn("editor");
    const file = "email,Town\nada@example.org,London\n";
    const body = [
      ...["--form", 'Content-Disposition: form-data; name="do"', "", "upload"],
      ...[
        "--form",
        'Content-Disposition: form-data; name="file"; filename="a.csv"',
        "",
        file,
        "--form--",
        "",
      ],
    ].join("\r\n");
    const headers = { "Content-Type": "multipart/form-data; boundary=form" };
    const sent = await browser.send("POST", "/console/1/imports", { body, headers });
    const page = sent.headers.get("location") ?? "";
    const chosen = { list: "new", newList: "Winter", "column-0": "email", "column-1": "new_field" };
    assert.equal((await browser.post(page, "check", { ...chosen, overwrite: "here" })).status, 303);
    await finishJobs(store);
    const run = fieldIn(await browser.get(page), "run") ?? "";
    // No further job starts while an account has so many.
    const waiting: number[] = [];
    for (let status = 303; status === 303; ) {
      const reply = await browser.post("/console/1/subscribers/change?list=1", "change", {
        ...{ kind: "unsubscribe" },
      });
      status = reply.status;
      if (status === 303) waiting.push(Number(/\d+$/.exec(reply.headers.get("location") ?? "")?.[0]));
    }
    assert.equal((await browser.post(page, "import", { run })).status, 422);
    await store.jobs.cancel({ account: 1, id: waiting[0] ?? 0, now: server.now });
    const started = await browser.post(page, "import", { run });
    assert.match(started.headers.get("location") ?? "", /\/imports\/\d+$/);
    const again = await browser.post(page, "import", { run });
    assert.equal(again.headers.get("location"), started.headers.get("location"));
    const { rows } = await store.lists.all.page({ account: 1 }, { after: null, limit: 10 });
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["News", "Winter"],
    );
  });

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
