/** Subscribers in a browser: search, one person, and many at once; with and without JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { finishJobs } from "../../api/v2/finish-jobs.ts";
import { fillWorld, HOSTILE, type World } from "../../console/subscribers-world.ts";
import { addressOf } from "../../store/actor.ts";
import { checkLooks } from "../check-page.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

let world: World;
const tested = consoleInBrowser({
  role: "owner",
  expected: /status of (422|409)/,
  fill: async (server) => {
    const { user } = await server.signedIn(null);
    world = await fillWorld(server.store, server.now, user.id);
  },
});
const pathOf = (name: string, below = ""): string => `/1/subscribers/${world.ids[name]}${below}`;
const origin = { kind: "operator" } as const;

/** Adds somebody who is on the newsletter. */
async function add(email: string): Promise<void> {
  const { store, now } = tested.server;
  const cause = { account: 1, at: now, origin, recordedCall: null };
  await store.subscribers.add({ ...cause, address: addressOf(email), list: world.newsletter });
}
async function search(page: Page, address: string): Promise<void> {
  await page.getByLabel(/^Address/).fill(address);
  await page.getByRole("main").getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: "Clear" }).waitFor();
  assert.doesNotMatch(decodeURIComponent(page.url()), /@|example/);
}
async function more(page: Page, item: string): Promise<void> {
  await page.getByText("More", { exact: true }).click();
  await page.getByRole("link", { name: item }).click();
}

test("a hostile name is shown as it is, and runs nothing", async () => {
  const page = await tested.open("/1/subscribers");
  await search(page, "zz-");
  await page.getByRole("cell", { name: HOSTILE }).first().waitFor();
  await page.getByRole("link", { name: "zz-hostile@example.org" }).click();
  await page.getByText(HOSTILE).first().waitFor();
  await page.getByRole("link", { name: "Edit" }).click();
  assert.equal(await page.getByLabel("First name").inputValue(), HOSTILE);
});

test("conditions are folded until they are used, and the last one that is used brings another", async () => {
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 390, height: 700 },
  ]) {
    const page = await tested.open("/1/subscribers", { viewport });
    const what = (number: number) => page.getByLabel(`What condition ${number} is about`);
    assert.equal(await what(1).isVisible(), false);
    await page.getByText("Conditions", { exact: true }).click();
    assert.equal(await what(2).count(), 0);
    await what(1).selectOption({ label: "Last name" });
    await page.getByLabel("Value of condition 1").fill("Lamarr");
    await what(2).selectOption({ label: "First name" });
    await page.getByLabel("Value of condition 2").fill("hedy");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Clear" }).waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
    await page.getByRole("link", { name: "hedy@example.org" }).waitFor();
    assert.equal(await page.getByLabel("Value of condition 2").inputValue(), "hedy");
    assert.doesNotMatch(decodeURIComponent(page.url()), /hedy|lamarr/i);
    await checkLooks(page, "a search by conditions");
  }
});

test("selected rows bring a bar that stays in view, and is announced", async () => {
  for (let n = 10; n < 60; n += 1) await add(`bar${n}@example.org`);
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 390, height: 700 },
  ]) {
    const page = await tested.open("/1/subscribers", { viewport });
    const bar = page.getByRole("group", { name: "Selected rows" });
    assert.equal(await bar.isVisible(), false);
    const boxes = page.locator("tbody input[type=checkbox]");
    await boxes.nth(0).check();
    await boxes.nth(1).press("Space");
    await bar.getByText("2 selected").waitFor();
    assert.equal(await page.getByRole("status").first().textContent(), "2 selected");
    const place = async () => (await bar.boundingBox()) ?? assert.fail("no bar");
    const { y, height } = await place();
    assert.ok(Math.abs(y + height - viewport.height) <= 1, "at the bottom of the window");
    // At the end of the page, it leaves the last row free.
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    const last = await page.locator("tbody tr").last().boundingBox();
    assert.ok(last !== null && last.y + last.height <= (await place()).y);
    await bar.getByRole("button", { name: "Select all 50 on this page" }).click();
    await bar.getByText("50 selected").waitFor();
    await bar.getByRole("button", { name: "Clear" }).press("Enter");
    assert.equal(await bar.isVisible(), false);
    await page.locator("tbody tr:first-child input:focus").waitFor();
    await boxes.nth(2).check();
    await bar.getByRole("button", { name: "Change the selected…" }).click();
    await page.getByRole("heading", { name: "1 subscriber", exact: true }).waitFor();
    await page.goBack();
    await bar.getByText("selected").waitFor({ state: "hidden" });
  }
});

for (const [how, javaScriptEnabled] of withAndWithout) {
  test(`somebody is found, edited, unsubscribed, reactivated with a reason and erased ${how}`, async () => {
    await add("joan.clarke@example.org");
    const page = await tested.open("/1/subscribers", { javaScriptEnabled });
    await search(page, "joan");
    await page.getByRole("link", { name: "joan.clarke@example.org" }).click();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Customer since").fill("2026-02-03");
    await page.getByLabel("Cups per week").fill("many");
    await page.getByLabel("First name").fill("Joan");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(`#field-value-${world.fields.score}-error`).waitFor();
    assert.equal(await page.getByLabel("First name").inputValue(), "Joan");
    await page.getByLabel("Cups per week").fill("7");
    await page.getByLabel(/^Address/).fill("joan@example.org");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The changes are saved.").waitFor();
    await more(page, "Unsubscribe…");
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.getByText("The person is unsubscribed from all lists.").waitFor();
    await more(page, "Reactivate…");
    await page.getByLabel("The person unsubscribed").check();
    await page.getByLabel("Reason").fill("asked by mail");
    await page.getByRole("button", { name: "Reactivate" }).click();
    await page.getByText("The person is active again.").waitFor();
    await page.getByText("Reason: asked by mail").waitFor();
    await more(page, "Erase…");
    await page.getByText("Erase joan@example.org?").waitFor();
    await page.getByRole("button", { name: "Erase this person" }).click();
    await page.getByText("The person is erased").first().waitFor();
    if (javaScriptEnabled) await checkLooks(page, "an erased person");
    const address = addressOf("joan@example.org");
    assert.equal(await tested.server.store.subscribers.find({ account: 1, address }), null);
  });

  test(`all that match are changed by a job after a preview ${how}`, async () => {
    const { store } = tested.server;
    const domain = javaScriptEnabled ? "with.example" : "without.example";
    for (const name of ["a", "b", "c"]) await add(`${name}@${domain}`);
    const page = await tested.open("/1/subscribers", { javaScriptEnabled });
    await search(page, `@${domain}`);
    await page.getByRole("button", { name: "Change all that match…" }).click();
    await page.getByRole("heading", { name: "3 subscribers" }).waitFor();
    await page.getByLabel("Add to a list").check();
    await page.getByRole("button", { name: "Change them" }).click();
    await page.getByText("Choose a list.").first().waitFor();
    assert.ok(await page.getByLabel("Add to a list").isChecked());
    await page.getByLabel(/^List/).selectOption("Events in Berlin");
    await page.getByRole("button", { name: "Change them" }).click();
    await page.getByText("The change has started.").waitFor();
    assert.match(page.url(), /\/jobs\/\d+$/);
    await finishJobs(store);
    if (!javaScriptEnabled) await page.reload();
    await page.getByText("Finished", { exact: true }).first().waitFor();
    await page.goto(`${tested.server.origin}/console/1/subscribers?list=${world.events}`);
    await page.getByRole("link", { name: `c@${domain}` }).waitFor();
  });
}

test("of two operators who edit a person at once, the second keeps what was typed and decides", async () => {
  const other = await tested.server.signedIn("editor");
  const path = pathOf("margaret", "/edit");
  const [first, second] = [await tested.open(path), await tested.open(path, { as: other })];
  await first.getByLabel("Town").fill("Boston");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("The changes are saved.").waitFor();
  await second.getByLabel("Last name").fill("Heafield");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("Somebody else has changed this").waitFor();
  assert.equal(await second.getByLabel("Last name").inputValue(), "Heafield");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("The changes are saved.").waitFor();
});
