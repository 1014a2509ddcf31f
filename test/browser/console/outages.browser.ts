/** What the script does while the service cannot answer: nothing that was typed is lost, and pages go on. */
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

/** A page about an error, as the service sends it. */
async function failWith503(page: Page, place: RegExp, method: string): Promise<void> {
  const somebody = await tested.server.signedIn("editor");
  const { body } = await somebody.get("/console/1/no-such-page");
  await page.route(place, async (route) =>
    route.request().method() === method
      ? await route.fulfill({ status: 503, contentType: "text/html; charset=utf-8", body })
      : await route.continue(),
  );
}
const FAILURE = "There is no page at this address.";

test("a form that the service could not answer keeps what was typed, and can be sent again", async () => {
  const page = await tested.open("/1/lists/new");
  const place = /lists\/new$/;
  await failWith503(page, place, "POST");
  await page.locator("[name=name]").fill("A long name that nobody types twice");
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator("#notice").getByText(FAILURE).waitFor();
  assert.equal(await page.locator("[name=name]").inputValue(), "A long name that nobody types twice");
  await page.unroute(place);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "A long name that nobody types twice" }).waitFor();
});

test("live progress goes on after the service could not answer", async () => {
  const page = await tested.open("/1/imports");
  const buffer = Buffer.from("E-Mail\nada@example.org\n");
  await page.locator("input[type=file]").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer });
  await page.getByRole("heading", { name: "Columns" }).waitFor();
  await page.locator("[name=list]").selectOption("1");
  await failWith503(page, /uploads\/\d+\/events$/, "GET");
  await page.getByRole("button", { name: "Start the dry run" }).click();
  await page.getByRole("heading", { name: "Dry run" }).waitFor();
  await failWith503(page, /uploads\/\d+$/, "GET");
  await page.locator("#notice").getByText("This page goes on by itself").waitFor();
  await finishJobs(tested.server.store);
  await page.unroute(/uploads\/\d+$/);
  await page.getByRole("heading", { name: "Result of the dry run" }).waitFor();
});
