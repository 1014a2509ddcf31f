/** The pages about API keys in a browser, with and without JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { storedForm } from "../../../src/domain/access/key.ts";
import { dayOf } from "../../../src/domain/calendar.ts";
import { quirkKinds } from "../../../src/domain/statistics.ts";
import { checkLooks } from "../check-page.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

const HOSTILE = `<img src=x onerror="alert(1)"> & Co ${"W".repeat(60)}`;
let key = 0;

const tested = consoleInBrowser({
  role: "owner",
  fill: async ({ store, now: at }) => {
    await store.accounts.create({ name: "Acme", at });
    const made = { account: 1, label: HOSTILE, scope: "full", expiresAt: null, at } as const;
    key = (await store.keys.create({ ...made, ...storedForm("KEY-OF-THE-SHOP-123") }))?.id ?? 0;
    await store.statistics.addCalls({
      calls: [0, 1, 5].map((ago) => ({
        ...{ key, day: dayOf(at) - ago, program: HOSTILE, calls: 1000, refusals: 20, faults: 3 },
      })),
      quirks: quirkKinds.map((quirk) => ({ key, quirk, program: HOSTILE, seenAt: at })),
    });
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

test("no page has an accessibility violation or scrolls sideways", async () => {
  const pages = ["", "/new", `/${key}`, `/${key}/change`, `/${key}/revoke`];
  await tested.check(pages.map((path) => `/1/integrations${path}`));
  const page = await tested.open("/1/integrations/new");
  await page.getByLabel("What is it for?").fill(HOSTILE);
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByLabel("The API key", { exact: true }).waitFor();
  await checkLooks(page, "a new key");
});
