/** Settings in a browser: block list, users, tokens and audit log; with and without JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLooks } from "../check-page.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

const HOSTILE = `<img src=x onerror="alert(1)"> & ${"W".repeat(60)}`;
const tested = consoleInBrowser({
  role: null,
  expected: /status of (422|409)/,
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Acme", at: 1 });
  },
});
const SETTINGS = "/1/settings";

for (const [how, javaScriptEnabled] of withAndWithout) {
  const pattern = javaScriptEnabled ? "@spam.example" : "@junk.example";

  test(`a domain is blocked and unblocked after a question, and the audit log says so ${how}`, async () => {
    const page = await tested.open(`${SETTINGS}/blocks`, { javaScriptEnabled });
    await page.getByLabel("Address or domain").fill("not a domain");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator("#field-pattern-error").waitFor();
    assert.equal(await page.getByLabel("Address or domain").inputValue(), "not a domain");
    await page.getByLabel("Address or domain").fill(pattern);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(`Block ${pattern}?`).waitFor();
    assert.doesNotMatch(decodeURIComponent(page.url()), /example/);
    await page.getByRole("button", { name: "Block", exact: true }).click();
    await page.getByText(`${pattern} is blocked.`).waitFor();
    await page
      .getByRole("form", { name: `Remove ${pattern}` })
      .getByRole("button")
      .click();
    await page.getByRole("button", { name: "Remove the block" }).click();
    await page.getByText(`${pattern} is no longer blocked.`).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Audit log" }).click();
    await page.getByLabel(/^Action\b/).selectOption("Block removed");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("link", { name: "Reset" }).waitFor();
    await page.getByRole("table").getByText(pattern).waitFor();
    assert.equal(await page.getByRole("table").getByText("Address or domain blocked").count(), 0);
    await page.getByLabel(/^To\b/).fill("2001-01-01");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No entry matches").waitFor();
  });

  test(`a user is added, and sets a password with the invitation that is shown once ${how}`, async () => {
    const email = javaScriptEnabled ? "eve@example.org" : "eva@example.org";
    const page = await tested.open(`${SETTINGS}/users`, { javaScriptEnabled });
    await page.getByRole("link", { name: "Add a user" }).click();
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Name").fill(HOSTILE);
    await page.getByLabel("Editor").check();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const link = (await page.getByRole("group", { name: `Invitation for ${email}` }).textContent()) ?? "";
    if (javaScriptEnabled) await checkLooks(page, "the invitation of a new user");
    await page.getByRole("link", { name: "Done" }).click();
    await page.getByRole("heading", { name: HOSTILE }).waitFor();
    assert.ok(!(await page.content()).includes(link));
    const guest = await tested.open("/sign-in", { javaScriptEnabled, as: tested.server.browser() });
    await guest.goto(link);
    await guest.getByLabel("Password").fill("correct horse battery");
    await guest.getByRole("button", { name: "Set the password and sign in" }).click();
    await guest.waitForURL(/\/console\/1$/);
    await guest.getByText("Your password is set.").waitFor();
  });

  test(`a token is shown once and revoked ${how}`, async () => {
    const name = `Report ${how}`;
    const page = await tested.open(`${SETTINGS}/tokens`, { javaScriptEnabled });
    await page.getByLabel("What is it for?").fill(name);
    await page.getByRole("button", { name: "Create a token" }).click();
    await page.getByRole("heading", { name: "Your new token" }).waitFor();
    const secret = (await page.locator(".secret code").textContent()) ?? "";
    assert.match(secret, /^\S{20,}$/);
    if (javaScriptEnabled) await checkLooks(page, "a new token");
    await page.getByRole("link", { name: "Back" }).click();
    const row = page.getByRole("row", { name });
    await row.waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The token is revoked.").waitFor();
    assert.equal(await row.count(), 0);
  });
}

test("of two operators who rename the account at once, the second keeps what was typed and decides", async () => {
  const other = await tested.server.signedIn("owner");
  const [first, second] = [await tested.open(SETTINGS), await tested.open(SETTINGS, { as: other })];
  await first.getByLabel("Name").fill("Acme Ltd");
  await first.getByRole("button", { name: "Save" }).first().click();
  await first.getByText("The account is renamed.").waitFor();
  await second.getByLabel("Name").fill("Acme Inc");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("Somebody else has changed this").waitFor();
  assert.equal(await second.getByLabel("Name").inputValue(), "Acme Inc");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("The account is renamed.").waitFor();
});
