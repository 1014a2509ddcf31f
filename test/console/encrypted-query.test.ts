/** A filter with values of people, encrypted in the address of a page. With pages of this test only. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FILTER } from "#console/kit/encrypted-query.ts";
import { withQuery } from "#console/kit/listing.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import { html } from "#html/html.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const PEOPLE = "/{account}/people";
const people = page({
  path: PEOPLE,
  show: async (visit) => {
    const { name = "nobody" } = await visit.filter();
    return content("People", html`<p>${visit.formState("search").message}</p><b>${name}</b>`);
  },
  forms: {
    search: {
      submit: async (visit) => {
        const filter = await visit.encrypt({ name: visit.form.text("name"), list: "" });
        return redirect(withQuery(visit.path, { state: visit.form.text("state"), filter }));
      },
    },
  },
});
const others = page({
  path: "/{account}/others",
  show: async (visit) =>
    content(
      "Others",
      html`<b>${(await visit.filter()).name ?? "nobody"}</b><i>${await visit.encrypt({ name: "Ada" }, PEOPLE)}</i>`,
    ),
});

let server: ConsoleServer;
before(async () => {
  server = await startConsole({ pages: [people, others] });
  for (const name of ["Default", "Other"]) await server.store.accounts.create({ name, at: 1 });
});
after(() => server.close());

const name = 'Ödön <b>"Jr."</b> 🦊';
const search = async (given: string) => {
  const browser = await server.signedIn(null);
  const sent = await browser.post("/console/1/people", "search", { name: given, state: "bounced" });
  return { browser, sent, location: sent.headers.get("location") ?? "" };
};

test("a filter is read from the address of its page, which shows nothing of it", async () => {
  const { browser, sent, location } = await search(name);
  assert.equal(sent.status, 303);
  assert.match(location, /^\/console\/1\/people\?state=bounced&filter=[\w-]{40,}$/);
  assert.doesNotMatch(Buffer.from(location.split("filter=")[1] ?? "", "base64url").toString(), /Jr|name/);
  for (let reload = 0; reload < 2; reload += 1)
    assert.match((await browser.get(location)).body, /<b>Ödön &lt;b&gt;&quot;Jr\.&quot;&lt;\/b&gt; 🦊<\/b>/);
});

test("an empty filter leaves nothing in the address", async () => {
  assert.equal((await search("")).location, "/console/1/people?state=bounced");
});

test("a filter works neither for another page or account nor after a change", async () => {
  const { browser, location } = await search(name);
  const filter = location.split("filter=")[1] ?? "";
  for (const path of [
    `/1/others?${FILTER}=${filter}`,
    `/2/people?${FILTER}=${filter}`,
    `/1/people?${FILTER}=x`,
    `/1/people?${FILTER}=${filter.startsWith("A") ? "B" : "A"}${filter.slice(1)}`,
    `/1/people?${FILTER}=`,
  ]) {
    const { status, body } = await browser.get(`/console${path}`);
    assert.equal(status, 400, path);
    assert.match(body, /This search cannot be repeated/);
  }
  assert.deepEqual(server.defects, []);
});

test("a page can lead to another page with a filter", async () => {
  const browser = await server.signedIn("viewer");
  const [, filter] = /<i>([\w-]+)<\/i>/.exec((await browser.get("/console/1/others")).body) ?? [];
  assert.match((await browser.get(`/console/1/people?filter=${filter}`)).body, /<b>Ada<\/b>/);
});

test("a filter that is too long for an address is refused, and the page says so", async () => {
  const { sent } = await search("x".repeat(5000));
  assert.equal(sent.status, 422);
  assert.match(sent.body, /too long to search for/);
});
