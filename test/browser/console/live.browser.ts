/** Live progress in a browser: which pages hold a connection, how the others go on, and what is read out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { finishJobs } from "../../api/v2/finish-jobs.ts";
import { consoleInBrowser } from "./console-in-browser.ts";

const tested = consoleInBrowser({
  role: "editor",
  expected: /status of 503/,
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Default", at: 1 });
    await store.lists.create({ account: 1, name: "News", at: 1 });
  },
});

const buffer = Buffer.from("E-Mail\nada@example.org\n");

/** Starts the dry run of a file; it waits until the test does the jobs. */
async function openDryRun(): Promise<Page> {
  const page = await tested.open("/1/imports");
  await page.locator("input[type=file]").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer });
  await page.getByRole("heading", { name: "Columns" }).waitFor();
  await page.locator("[name=list]").selectOption("1");
  await page.getByRole("button", { name: "Start the dry run" }).click();
  await page.getByRole("heading", { name: "Dry run" }).waitFor();
  return page;
}

const isStream = (address: string): boolean => address.endsWith("/events");
/** The streams that the page has open, by their requests that have not ended. */
function openStreams(page: Page): Set<object> {
  const open = new Set<object>();
  page.on("request", (request) => isStream(request.url()) && open.add(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("requestfinished", (request) => open.delete(request));
  return open;
}
async function until(isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!isTrue() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(isTrue());
}

/** Headless Chromium shows every tab, so the page is told that it is hidden. */
const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate(`{
    Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} });
    Object.defineProperty(document, "visibilityState", {
      configurable: true,
      value: "${isHidden ? "hidden" : "visible"}",
    });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }`);

test("a hidden page has no stream, and catches up when it is shown", async () => {
  const page = await openDryRun();
  const open = openStreams(page);
  await page.reload();
  await until(() => open.size === 1);
  await setHidden(page, true);
  await until(() => open.size === 0);
  await setHidden(page, false);
  await until(() => open.size === 1);
  await setHidden(page, true);
  await until(() => open.size === 0);
  await finishJobs(tested.server.store);
  await page.waitForTimeout(500);
  assert.equal(await page.getByRole("heading", { name: "Result of the dry run" }).count(), 0);
  await setHidden(page, false);
  await page.getByRole("heading", { name: "Result of the dry run" }).waitFor();
});

test("more live pages than a browser has connections do not block a form, and all of them go on", async () => {
  const first = await openDryRun();
  const pages = [first];
  for (let n = 1; n < 7; n += 1) {
    const page = await first.context().newPage();
    await page.goto(first.url());
    await page.getByRole("heading", { name: "Dry run" }).waitFor();
    pages.push(page);
  }
  const form = await first.context().newPage();
  await form.goto(`${tested.server.origin}/console/1/lists/new`);
  await form.locator("[name=name]").fill("Made meanwhile");
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByRole("heading", { name: "Made meanwhile" }).waitFor();
  await finishJobs(tested.server.store);
  for (const page of pages) await page.getByRole("heading", { name: "Result of the dry run" }).waitFor();
});

test("a page with several live parts holds no connection, and keeps what is typed while it goes on", async () => {
  await openDryRun();
  await openDryRun();
  const page = await tested.open("");
  const open = openStreams(page);
  await page.goto(`${tested.server.origin}/console/1`);
  const parts = page.locator("[data-stream]");
  assert.equal(await parts.count(), 2);
  const search = page.getByRole("searchbox");
  await search.fill("ada");
  await page.evaluate("document.querySelector('[data-stream]').replaceChildren('Old')");
  await page.getByText("Old", { exact: true }).waitFor({ state: "detached" });
  assert.equal(await search.inputValue(), "ada");
  assert.equal(open.size, 0);
  await finishJobs(tested.server.store);
  await parts.first().waitFor({ state: "detached" });
});

test("the state of a page whose live part has ended is read out", async () => {
  const page = await openDryRun();
  await finishJobs(tested.server.store);
  const status = page.getByRole("status");
  await status.getByText("a.csv: Dry run finished").waitFor();
  await page.getByRole("button", { name: "Import now" }).click();
  await page.getByRole("link", { name: "Stop the import" }).waitFor();
  // Somebody who has sent a form learns the state from its answer.
  assert.equal(await status.textContent(), "");
  await finishJobs(tested.server.store);
  await status.getByText("a.csv: Finished").waitFor();
});
