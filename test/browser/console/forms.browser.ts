/** What was typed into a form stays while somebody moves about in its page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { consoleInBrowser } from "./console-in-browser.ts";

const tested = consoleInBrowser({
  role: "owner",
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Acme", at: 1 });
    await store.lists.create({ account: 1, name: "News", at: 1 });
  },
});
const TYPED = "A name that nobody types twice";

/** The form of a recorded campaign, opened from the list of campaigns. */
async function openForm(): Promise<Page> {
  const page = await tested.open("/1/campaigns");
  await page.goto(`${page.url()}/record`);
  await page.getByRole("heading", { name: "Record a campaign" }).waitFor();
  return page;
}
const nameOf = (page: Page): Promise<string> => page.getByLabel("Name").inputValue();
/** A page that is fetched and shown again takes a moment. */
const settled = (page: Page): Promise<void> => page.waitForLoadState("networkidle");

test("a line of the error summary focuses its field and keeps what was typed since", async () => {
  const page = await openForm();
  await page.getByLabel("Name").fill("Spring");
  await page.getByRole("button", { name: "Record" }).click();
  const line = page.getByRole("alert").getByRole("link", { name: /^Lists: .*at least one list/ });
  await line.waitFor();
  await page.getByLabel("Name").fill(TYPED);
  await line.click();
  await settled(page);
  assert.equal(await nameOf(page), TYPED);
  // The field is a group of boxes: the first one has the focus.
  assert.equal(await page.evaluate("document.activeElement.closest('fieldset')?.id"), "field-lists");
  assert.equal(await page.evaluate("document.activeElement.type"), "checkbox");
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Record" }).click();
  await page.getByText(`The campaign “${TYPED}” is recorded.`).waitFor();
});

test("a page with one field focuses it, also when it is opened by a link", async () => {
  const page = await tested.open("/1/lists");
  await page.getByRole("link", { name: "New list" }).click();
  await page.locator("input[name=name]:focus").waitFor();
  await page.keyboard.type("Weekly");
  await page.keyboard.press("Enter");
  await page.getByText("Weekly").first().waitFor();
  const rename = await tested.open("/1/lists/1/rename");
  await rename.locator("input[name=name]:focus").waitFor();
});

test("the skip link keeps what was typed, and Back leads to the page before", async () => {
  const page = await openForm();
  await page.getByLabel("Name").fill(TYPED);
  const skip = page.getByRole("link", { name: "Skip to the content" });
  await skip.focus();
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await nameOf(page), TYPED);
  assert.equal(await page.evaluate("document.activeElement.id"), "main");
  await page.goBack();
  await page.getByRole("heading", { name: "Campaigns", exact: true }).waitFor();
});

test("Back after the skip link of a page that was changed in place leads to the page before", async () => {
  const page = await openForm();
  // The search changes the page in place, and so does Back.
  await page.getByRole("searchbox").fill("nobody");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Nobody found" }).waitFor();
  await page.getByRole("link", { name: "Skip to the content" }).focus();
  await page.keyboard.press("Enter");
  await page.goBack();
  await page.getByRole("heading", { name: "Record a campaign" }).waitFor();
});
