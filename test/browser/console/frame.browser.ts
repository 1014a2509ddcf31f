/** What every page of the console has around its content: one body, light and dark, the shortcuts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

const tested = consoleInBrowser({
  role: "owner",
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Acme", at: 1 });
  },
});

/** The background, once the stylesheet of dark screens applies as it should. */
async function isDark(page: Page, media: string): Promise<boolean> {
  await page.locator(`link[data-dark][media="${media}"]`).waitFor({ state: "attached" });
  const colour = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  return Number(/\d+/.exec(colour)?.[0]) < 128;
}
const openMenu = (page: Page): Promise<void> => page.getByLabel(/: your account$/).click();
const choice = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("a page has one body, with everything once, after forms were sent and after Back", async () => {
  const page = await tested.open("/1/lists/new");
  const counted = async (): Promise<void> => {
    const elements = await page.evaluate(
      "['body', 'main', 'nav', '.shell', 'body > .shell', '#shortcuts'].map((one) => document.querySelectorAll(one).length)",
    );
    assert.deepEqual(elements, [1, 1, 1, 1, 1, 1]);
    const ids = await page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)");
    assert.deepEqual(ids, [...new Set(ids as string[])]);
  };
  await page.getByLabel("Name").fill("x".repeat(2000));
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await counted();
  await page.getByLabel("Name").fill("News");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "News" }).waitFor();
  await counted();
  await page.goBack();
  await page.getByRole("heading", { name: "New list" }).waitFor();
  await counted();
});

for (const [how, javaScriptEnabled] of withAndWithout)
  test(`the menu switches between light and dark, which the browser remembers, ${how}`, async () => {
    const page = await tested.open("/1/lists/new", { javaScriptEnabled, colorScheme: "light" });
    await page.getByLabel("Name").fill("typed already");
    await openMenu(page);
    assert.equal(await choice(page, "Auto").getAttribute("aria-pressed"), "true");
    await choice(page, "Dark").click();
    assert.equal(await isDark(page, "all"), true);
    await page.waitForLoadState("networkidle");
    if (javaScriptEnabled) assert.equal(await page.getByLabel("Name").inputValue(), "typed already");
    else await openMenu(page);
    assert.equal(await choice(page, "Dark").getAttribute("aria-pressed"), "true");
    await page.goto(page.url().replace("/lists/new", "/campaigns"));
    assert.equal(await isDark(page, "all"), true);
    await page.emulateMedia({ colorScheme: "dark" });
    await openMenu(page);
    await choice(page, "Light").click();
    assert.equal(await isDark(page, "not all"), false);
    assert.match(page.url(), /\/1\/campaigns$/);
    if (!javaScriptEnabled) await openMenu(page);
    await choice(page, "Auto").click();
    assert.equal(await isDark(page, "(prefers-color-scheme: dark)"), true, "as the system");
  });

test("? shows the shortcuts, and does not while something is typed", async () => {
  const page = await tested.open("/1");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await page.keyboard.press("?");
  await list.waitFor();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  await page.keyboard.press("/");
  await page.keyboard.type("?");
  assert.equal(await page.getByRole("searchbox").inputValue(), "?");
  assert.equal(await list.isVisible(), false);
});

for (const [how, javaScriptEnabled] of withAndWithout)
  test(`the menu shows the shortcuts, ${how}`, async () => {
    const page = await tested.open("/1", { javaScriptEnabled });
    await openMenu(page);
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.getByText("Go to the search field").waitFor();
    await list.getByRole("button", { name: "Close" }).click();
    await list.waitFor({ state: "hidden" });
  });
