/** The page of a sender after its check, which no address leads to. */
import { test } from "node:test";
import { checkLooks } from "../check-page.ts";
import { consoleInBrowser } from "./console-in-browser.ts";
import { HOSTILE } from "./every-page-world.ts";

const tested = consoleInBrowser({
  role: "owner",
  fill: async ({ store, now }) => {
    await store.accounts.create({ name: "Acme", at: now });
  },
});

test("an owner creates a sender and checks it; the findings have no accessibility violation", async () => {
  const page = await tested.open("/1/settings/senders/new");
  await page.getByLabel("Name").first().fill(HOSTILE);
  await page.getByLabel("From address").fill("news@example.org");
  await page.getByLabel("Postal address").fill("1 Main Street\nLondon");
  await page.locator("summary", { hasText: "Relays" }).click();
  await page.getByLabel("Domain for bounces").fill("bounces.example.org");
  await page.getByRole("button", { name: "Create the sender" }).click();
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("Not everything is in place yet").waitFor();
  await checkLooks(page, "the result of a check");
});
