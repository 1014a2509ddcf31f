/** The overview, the search and the choice of accounts in a browser, with and without JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { actor } from "../../store/actor.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

const HOSTILE = `<img src=x onerror="alert(1)"> ${"W".repeat(90)}`;

const tested = consoleInBrowser({
  role: null,
  expected: /status of 404/,
  fill: async ({ store, now }) => {
    for (const name of ["Northwind Coffee", "Harbour Books", HOSTILE])
      await store.accounts.create({ name, at: 1 });
    const of = actor(store, 1);
    const list = await of.list("Newsletter");
    const hostile = await of.list(HOSTILE);
    for (let at = 0; at < 40; at += 1)
      await of.add(at % 3 === 0 ? hostile : list, `person${at}@example.org`, now - at * 86_400_000);
    await store.campaigns.record({ account: 1, name: HOSTILE, lists: [list], createdAt: now, sentAt: null });
  },
});

for (const [how, javaScriptEnabled] of withAndWithout)
  test(`the search shows what it finds ${how}, and its address does not`, async () => {
    const page = await tested.open("/1", { javaScriptEnabled });
    if (javaScriptEnabled) await page.keyboard.press("/");
    else await page.getByRole("searchbox").focus();
    await page.keyboard.type("person1");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Results for “person1”" }).waitFor();
    assert.equal(await page.getByRole("link", { name: /^person1\d?@example\.org$/ }).count(), 5);
    assert.match(page.url(), /\/console\/1\/search\?filter=/);
    assert.doesNotMatch(page.url(), /person/);
    assert.equal(await page.getByRole("searchbox").inputValue(), "person1");
    await page.reload();
    await page.getByRole("heading", { name: "Results for “person1”" }).waitFor();
  });

test("another range is chosen, and a new account is created and begins with the first steps", async () => {
  const page = await tested.open("/1", { javaScriptEnabled: false });
  await page.getByRole("link", { name: "12 months" }).click();
  await page.getByText("Joined and left per week").first().waitFor();
  await page.goto(`${tested.server.origin}/console/accounts`);
  await page.getByLabel("Name").fill("Third");
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByRole("heading", { name: "First steps" }).waitFor();
});
