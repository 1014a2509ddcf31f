/** How pages are served: accounts, roles, forms, versions, notices and errors. With pages of its own. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { InvalidInput } from "#admin/kit/errors.ts";
import { createList, deleteList, findList, listLists, renameList } from "#admin/lists.ts";
import { formOf } from "#console/kit/form-html.ts";
import { content, download, page, redirect } from "#console/kit/page.ts";
import { versionOf } from "#domain/version.ts";
import { textField } from "#html/components/fields.ts";
import { html } from "#html/html.ts";
import type { Browser } from "./browser.ts";
import { fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const lists = page({
  path: "/{account}/lists",
  show: async (visit) => {
    const { rows, next } = await visit.list(listLists, { limit: 2 });
    return content(
      "Lists",
      html`<h1>Lists of ${visit.account.name}</h1>${rows.map(({ name }) => html`<li>${name}</li>`)}
<a id="next" href="?after=${next ?? ""}">next</a>${visit.may("editor") ? html`<b>may create</b>` : null}`,
    );
  },
  forms: {
    create: {
      submit: async (visit) => {
        const { account, form } = visit;
        const created = await visit.perform(createList, {
          account: account.id,
          name: form.text("title"),
          id: null,
        });
        return redirect(visit.link(`/lists/${created.id}`), `The list “${created.name}” was created.`);
      },
      inputs: { name: "title" },
    },
  },
});
const list = page({
  path: "/{account}/lists/{list}",
  show: async (visit) => {
    const found = await visit.perform(findList, { account: visit.account.id, id: visit.params.list });
    const shown = visit.formState("rename");
    return content(
      found.name,
      html`<h1>${found.name}</h1>${formOf("rename", {
        state: shown,
        version: versionOf("list", found),
        body: textField({
          name: "name",
          label: "Name",
          value: shown.value("name", found.name),
          error: shown.problem("name"),
        }),
      })}`,
    );
  },
  forms: {
    rename: {
      submit: async (visit) => {
        const of = { account: visit.account.id, id: visit.params.list };
        await visit.perform(renameList, { ...of, name: visit.form.text("name") });
        return redirect(visit.path, "The list was renamed.");
      },
    },
  },
});
const careless = page({
  path: "/{account}/careless",
  show: async (visit) => {
    await visit.perform(deleteList, { account: visit.account.id, id: 1 });
    return content("Gone", html``);
  },
});
const owners = page({
  path: "/{account}/owners",
  role: "owner",
  show: async () => content("O", html`for owners`),
});
const file = page({
  path: "/{account}/file",
  show: async () =>
    download({
      fileName: 'a"b.csv',
      contentType: "text/csv",
      chunks: (async function* () {
        yield "a,b\n";
      })(),
    }),
});

const files = page({
  path: "/{account}/files",
  takesFile: true,
  show: async () => content("Files", html`<h1>Files</h1>`),
  forms: { submit: { submit: async ({ link }) => redirect(link("/files")) } },
});

let server: ConsoleServer;
before(async () => {
  server = await startConsole({ pages: [lists, list, careless, owners, file, files] });
  for (const name of ["Default", "Other"]) await server.store.accounts.create({ name, at: 1 });
});
after(() => server.close());

const newList = async (name: string): Promise<number> =>
  (await server.store.lists.create({ account: 1, name, at: 1 })).id;

test("a page is shown within the frame, with the sections that have pages and the user's accounts", async () => {
  const browser = await server.signedIn("editor");
  const { status, body, headers } = await browser.get("/console/1/lists");
  assert.equal(status, 200);
  assert.match(body, /<h1>Lists of Default<\/h1>/);
  assert.match(body, /href="\/console\/1\/lists" aria-current="page"/);
  assert.doesNotMatch(body, /\/console\/1\/campaigns|Other/);
  assert.match(body, /may create/);
  assert.equal(headers.get("cache-control"), "no-store");
});

test("every reply has the security headers, also those about errors", async () => {
  const browser = await server.signedIn("viewer");
  for (const path of ["/console/1/lists", "/console/nothing", "/console/sign-in?x", "/console/1/owners"]) {
    const { headers } = await browser.get(path);
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; .*frame-ancestors 'none'$/,
    );
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(headers.get("referrer-policy"), "same-origin", path);
    assert.equal(headers.get("cross-origin-opener-policy"), "same-origin", path);
  }
});

test("requests that are refused before a page is asked have the security headers, too", async () => {
  const browser = await server.signedIn("editor");
  const path = "/console/1/lists";
  const replies = [
    await server.browser().get(path),
    await server.browser().get("/console/nothing"),
    await browser.post(path, "create", { title: "A" }, { "Sec-Fetch-Site": "cross-site" }),
    await browser.post(path, "create", { title: "x".repeat(70_000) }),
    await browser.post(path, "create", {}, { "Content-Encoding": "gzip" }),
    await browser.send("OPTIONS", path),
  ];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [303, 303, 403, 413, 400, 403],
  );
  for (const { headers } of replies) {
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; .*frame-ancestors/);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-frame-options"), "DENY");
  }
});

test("a form is answered with a redirect, and the next page shows the notice once", async () => {
  const browser = await server.signedIn("editor");
  const sent = await browser.post("/console/1/lists", "create", { title: "Fans <3" });
  assert.equal(sent.status, 303);
  const shown = await browser.follow(sent);
  assert.match(shown.body, /The list “Fans &lt;3” was created\./);
  assert.doesNotMatch((await browser.follow(sent)).body, /was created/);
});

test("a notice that another site has put into a cookie is not shown", async () => {
  const browser = await server.signedIn("editor");
  const text = Buffer.from("Call this number").toString("base64url");
  browser.cookies.set("mailroll-notice", `${text}.${"A".repeat(43)}`);
  assert.doesNotMatch((await browser.get("/console/1/lists")).body, /Call this number/);
});

test("a refused form is shown again with what was typed and the problem beside its field", async () => {
  const browser = await server.signedIn("editor");
  const id = await newList("Fine");
  const bad = `"><script>alert(1)</script>${"x".repeat(200)}`;
  const { status, body } = await browser.post(`/console/1/lists/${id}`, "rename", { name: bad });
  assert.equal(status, 422);
  assert.match(body, /<p class="field-error" id="field-name-error">Must have 1 to/);
  assert.match(body, /value="&quot;&gt;&lt;script&gt;alert\(1\)/);
  assert.doesNotMatch(body, /<script>alert/);
});

test("a problem of an input that is no field of the form is shown above the form", async () => {
  const browser = await server.signedIn("editor");
  const { status, body } = await browser.post(`/console/1/lists/${await newList("A")}`, "rename", {});
  assert.equal(status, 422);
  assert.match(body, /name: must have 1 to/);
});

test("of two users who edit the same thing, the second is told and overwrites nothing", async () => {
  const [one, other] = [await server.signedIn("editor"), await server.signedIn("owner")];
  const path = `/console/1/lists/${await newList("Before")}`;
  const rename = async (browser: Browser, name: string, version: string | null) =>
    await browser.post(path, "rename", { name, version: version ?? "" });
  const version = fieldIn(await one.get(path), "version");
  assert.equal(version, fieldIn(await other.get(path), "version"));
  assert.equal((await rename(one, "Mine", version)).status, 303);
  const refused = await rename(other, "Theirs", version);
  assert.equal(refused.status, 409);
  assert.match(refused.body, /Somebody else has changed this/);
  assert.equal(fieldIn(refused, "name"), "Theirs");
  assert.match((await one.get(path)).body, /<h1>Mine<\/h1>/);
  assert.equal((await rename(other, "Theirs", fieldIn(refused, "version"))).status, 303);
});

test("what a role may not do is refused with a page, whatever the page shows", async () => {
  const browser = await server.signedIn("viewer");
  assert.doesNotMatch((await browser.get("/console/1/lists")).body, /may create/);
  const { status, body } = await browser.post("/console/1/lists", "create", { title: "No" });
  assert.equal(status, 403);
  assert.match(body, /Not allowed/);
  assert.equal((await browser.get("/console/1/owners")).status, 403);
});

test("an unknown id, page or account, and an account of others, get a page that says so", async () => {
  const browser = await server.signedIn("owner");
  for (const path of [
    "/1/lists/99999",
    "/1/lists/0",
    "/1/lists/x",
    "/1/nothing",
    "/2/lists",
    "/999/lists",
    "/x",
  ])
    assert.deepEqual(
      await browser.get(`/console${path}`).then(({ status, body }) => [status, body.includes("Not found")]),
      [404, true],
      path,
    );
  assert.equal((await browser.post("/console/1/lists", "nothing")).status, 404);
  assert.equal((await browser.post("/console/1/owners", "x")).status, 404);
});

test("a page that changes something while it is shown is a defect, and gets a page with a reference", async () => {
  const browser = await server.signedIn("owner");
  const { status, body } = await browser.get("/console/1/careless");
  assert.equal(status, 500);
  assert.match(body, /R-1/);
  assert.match(String(server.defects.pop()), /list\.delete/);
});

test("cursors of a listing are encrypted, and one that was changed gets a page that says so", async () => {
  const browser = await server.signedIn("viewer");
  for (const name of ["L1", "L2", "L3"]) await newList(name);
  const first = await browser.get("/console/1/lists");
  const [, cursor = ""] = /href="\?after=([^"]+)"/.exec(first.body) ?? [];
  assert.ok(cursor.length > 30);
  assert.equal((await browser.get(`/console/1/lists?after=${cursor}`)).status, 200);
  assert.equal((await browser.get("/console/1/lists?after=5")).status, 400);
});

test("a download has a safe name and the headers of the console", async () => {
  const browser = await server.signedIn("viewer");
  const { body, headers } = await browser.get("/console/1/file");
  assert.equal(body, "a,b\n");
  assert.equal(headers.get("content-disposition"), 'attachment; filename="a_b.csv"');
  assert.equal(headers.get("cache-control"), "no-store");
});

test("a form in another encoding or over the limit is refused with a page", async () => {
  const browser = await server.signedIn("editor");
  const send = (body: string, type: string) =>
    browser.send("POST", "/console/1/lists", { body, headers: { "Content-Type": type } });
  assert.equal((await send("{}", "application/json")).status, 415);
  assert.equal((await send("x", "multipart/form-data; boundary=y")).status, 400);
  const large = await send(`title=${"x".repeat(70_000)}`, "application/x-www-form-urlencoded");
  assert.equal(large.status, 413);
  assert.match(large.body, /This is too large/);
});

test("a form with very many fields, or with endless lines before a part, is refused before it is parsed", async () => {
  const browser = await server.signedIn("editor");
  const send = (body: string, type: string) =>
    browser.send("POST", "/console/1/files", { body, headers: { "Content-Type": type } });
  const multipart = "multipart/form-data; boundary=y";
  const part = '--y\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
  const [fields, parts, lines] = [
    await send("&a".repeat(2_000_000), "application/x-www-form-urlencoded"),
    await send(`${part.repeat(50_000)}--y--\r\n`, multipart),
    await send(`--y\r\n${"x: y\r\n".repeat(500_000)}\r\n1\r\n--y--\r\n`, multipart),
  ];
  assert.deepEqual([fields.status, parts.status, lines.status], [413, 413, 413]);
  assert.match(fields.body, /more than 5000 fields/);
  const few = await send(`${part.repeat(4_000)}--y--\r\n`, multipart);
  assert.match(few.headers.get("location") ?? "", /\/files$/);
});

test("numbers and dates are in the language of the browser", async () => {
  const { formatsFor } = await import("#console/kit/formats.ts");
  const at = Date.UTC(2026, 10, 1, 23, 30);
  assert.equal(formatsFor("de-DE,de;q=0.9,en;q=0.8", "Europe/Berlin").number(1234567), "1.234.567");
  assert.equal(formatsFor("de", "Europe/Berlin").date(at), "02.11.2026");
  assert.equal(formatsFor("en-GB", null).date(at), "1 Nov 2026");
  assert.equal(
    formatsFor("xx-not-a-language-at-all,;;q=,en-US;q=0.1", "Nowhere/Else").day("2026-11-01"),
    "Nov 1, 2026",
  );
  assert.equal(formatsFor(undefined, "UTC").ago(at - 180_000, at), "3 minutes ago");
  const first = formatsFor("de", "Europe/Berlin");
  assert.equal(formatsFor("de", "Europe/Berlin"), first, "made once");
  for (const zone of Intl.supportedValuesOf("timeZone").slice(0, 64)) formatsFor("de", zone);
  assert.notEqual(formatsFor("de", "Europe/Berlin"), first, "clients can send any number of languages");
});

test("a time with its zone has the name that the zone has at that time", async () => {
  const { formatsFor } = await import("#console/kit/formats.ts");
  const [winter, summer] = [Date.UTC(2026, 11, 1, 8), Date.UTC(2026, 6, 1, 8)];
  assert.equal(formatsFor("en-GB", null).zonedDateTime(winter), "1 Dec 2026, 08:00 UTC");
  const { zonedDateTime } = formatsFor("en-GB", "Europe/Berlin");
  assert.deepEqual([winter, summer].map(zonedDateTime), ["1 Dec 2026, 09:00 CET", "1 Jul 2026, 10:00 CEST"]);
  assert.equal(formatsFor("de", "Europe/Berlin").zonedDateTime(winter), "01.12.2026, 09:00 MEZ");
});

test("a small share is not shown as none, and bytes have a plural", async () => {
  const { formatsFor } = await import("#console/kit/formats.ts");
  const { percent, bytes } = formatsFor("en-GB", null);
  assert.deepEqual([0, 0.0004, 0.00061, 0.006, 0.1234, 1].map(percent), [
    ...["0%", "0.04%", "0.06%", "0.6%", "12.3%", "100%"],
  ]);
  assert.deepEqual([1, 365, 12_345].map(bytes), ["1 byte", "365 bytes", "12.3 kB"]);
});

test("a problem beside no field is named, and ends with one full stop", async () => {
  const { formProblems } = await import("#console/kit/errors.ts");
  const { Form } = await import("#console/kit/form.ts");
  for (const text of ["The port cannot be 0", "The port cannot be 0."])
    assert.equal(
      formProblems(new InvalidInput("relays", text), new Form([]))?.message,
      "relays: The port cannot be 0.",
    );
});
