/** The pages about API keys in a browser, with and without JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { checkLooks } from "../check-page.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

const tested = consoleInBrowser({
  role: "owner",
  fill: async ({ store, now: at }) => {
    await store.accounts.create({ name: "Acme", at });
    const made = { account: 1, label: "Shop", scope: "full", expiresAt: null, at } as const;
    await store.keys.create({ ...made, ...storedForm("KEY-OF-THE-SHOP-123") });
  },
});

for (const [how, javaScriptEnabled] of withAndWithout)
  test(`a key is created, handed on with a program and revoked, ${how}`, async () => {
    const page = await tested.open("/1/integrations", { javaScriptEnabled });
    await page.getByRole("link", { name: "New key" }).click();
    await page.getByLabel("What is it for?").fill("Checkout");
    await page.getByRole("button", { name: "Create the key" }).click();
    const secret = await page.getByLabel("The API key", { exact: true }).textContent();
    assert.match(secret ?? "", /^[0-9A-F]{32}$/);
    assert.ok(await page.getByLabel("Program in PHP", { exact: true }).isVisible());
    if (javaScriptEnabled) await checkLooks(page, "a new key");
    await page.getByText("curl", { exact: true }).click();
    const curl = page.getByLabel("Program in curl", { exact: true });
    assert.ok(await curl.isVisible());
    assert.ok(!(await page.getByLabel("Program in PHP", { exact: true }).isVisible()));
    if (javaScriptEnabled) {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copy: Program in curl" }).click();
      await page.getByText("Copied").waitFor();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      assert.equal(copied, await curl.textContent());
    }
    await page.getByRole("link", { name: "Go to the key" }).click();
    await page.getByRole("link", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("The key “Checkout” is revoked.").waitFor();
  });

test("the panels of a new key are chosen by keyboard", async () => {
  const page = await tested.open("/1/integrations/new");
  await page.getByLabel("What is it for?").fill("Keyboard");
  await page.keyboard.press("Enter");
  const php = page.getByRole("radio", { name: "PHP" });
  await php.focus();
  await page.keyboard.press("ArrowRight");
  assert.ok(await page.getByLabel("Program in Python", { exact: true }).isVisible());
});
