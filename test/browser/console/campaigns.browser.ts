/** Campaigns and refused calls in a browser, with and without JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { parseAddress } from "#domain/address.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

const HOSTILE = `<img src=x onerror="alert(1)"> & Co`;
const SENT = Date.UTC(2026, 2, 3, 7, 15);
let key = 0;

const tested = consoleInBrowser({
  role: "owner",
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Acme", at: 1 });
    for (const name of ["News", HOSTILE]) await store.lists.create({ account: 1, name, at: 1 });
    const made = { account: 1, label: HOSTILE, scope: "full", expiresAt: null, at: SENT } as const;
    key = (await store.keys.create({ ...made, ...storedForm("KEY-OF-THE-SHOP-123") }))?.id ?? 0;
  },
});

/** Two calls with wrong addresses. */
async function refuse(): Promise<void> {
  for (const email of ["ada@@example", "grace@"])
    await tested.server.store.subscribers.add({
      ...{ account: 1, at: SENT, list: 1, address: parseAddress(email), origin: { kind: "key", key } },
      recordedCall: {
        operation: "Subscriber.Add",
        args: JSON.stringify({ SubscribersListID: "1", EMail: email }),
        isCut: false,
      },
    });
}

for (const [how, javaScriptEnabled] of withAndWithout) {
  test(`a campaign is recorded, looked into, changed and deleted ${how}`, async () => {
    const page = await tested.open("/1/campaigns", { javaScriptEnabled });
    await page.getByRole("link", { name: "Record a campaign" }).click();
    await page.getByLabel("Name").fill("Spring offers");
    await page.getByRole("button", { name: "Record" }).click();
    await page.getByText("Must have at least one list").first().waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "Spring offers");
    await page.getByLabel("News").check();
    await page.getByLabel("Sent at").fill("2026-03-03T08:15");
    await page.getByRole("button", { name: "Record" }).click();
    await page.getByText("The campaign “Spring offers” is recorded.").waitFor();
    await page.getByRole("link", { name: "Change" }).click();
    await page.getByLabel("Name").fill("Spring offers 2026");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Spring offers 2026" }).waitFor();
    await page.goto(`${page.url()}/deletion`);
    await page.getByText("It has no results.").waitFor();
    await page.getByRole("button", { name: "Delete the campaign" }).click();
    await page.getByText("The campaign “Spring offers 2026” is deleted.").waitFor();
  });

  test(`a refused call is corrected and replayed, and the rest of its group dismissed ${how}`, async () => {
    await refuse();
    const page = await tested.open("/1/refused-calls", { javaScriptEnabled });
    await page.getByRole("link", { name: /The e-mail address is not valid/ }).click();
    await page.getByRole("link", { name: "ada@@example" }).click();
    await page.getByLabel("EMail").fill("ada@");
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText(/Refused again: The e-mail address is not valid/).waitFor();
    assert.equal(await page.getByLabel("EMail").inputValue(), "ada@");
    await page.getByLabel("EMail").fill("ada@example.org");
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("The call succeeded").waitFor();
    await page.getByRole("link", { name: "Dismiss all" }).click();
    await page.getByText("1 call", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Dismiss them" }).click();
    await page.getByText("The job has started.").waitFor();
    assert.match(page.url(), /\/jobs\/\d+$/);
  });
}
