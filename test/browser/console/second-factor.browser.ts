/**
 * A forgotten password is replaced after a link, a second factor is set up with a QR code, and the next link
 * asks for its code; with and without JavaScript.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { createSignInLink } from "#auth/users/sign-in-links.ts";
import { testPasswords } from "../../api/v2/api-server.ts";
import { checkLooks } from "../check-page.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

const tested = consoleInBrowser({
  role: "viewer",
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Acme", at: 1 });
  },
});
const STEP_MS = 30_000;
const PASSWORD = "a new sentence to remember";

for (const [how, javaScriptEnabled] of withAndWithout)
  test(`a link replaces a forgotten password, and then asks for the second factor ${how}`, async () => {
    const { server } = tested;
    const { user } = await server.signedIn("editor");
    const hash = await testPasswords.hash("forgotten long ago");
    await server.store.users.setPassword({ id: user.id, within: null, hash, at: 1, keeps: null });
    const newLink = async (): Promise<string> =>
      `/link?token=${(await createSignInLink(server.store, user.id, server.now)).secret}`;
    const page = await tested.open(await newLink(), { javaScriptEnabled, as: server.browser() });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/console\/1$/);
    await page.goto(`${server.origin}/console/me`);
    await page.getByText("without the current one").waitFor();
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("Your password is changed").waitFor();

    const setUp = page.locator("form", { has: page.getByRole("button", { name: "Set up" }) });
    await setUp.getByLabel("Current password").fill(PASSWORD);
    await setUp.getByRole("button").click();
    const code = page.getByRole("img", { name: "QR code for your authenticator app" });
    await code.waitFor();
    const box = await code.boundingBox();
    assert.ok(box !== null && box.width > 150 && Math.abs(box.width - box.height) < 2);
    if (javaScriptEnabled) await checkLooks(page, "setting up a second factor");
    const secret = (await page.getByRole("group", { name: "Secret" }).locator("code").textContent()) ?? "";
    const current = (): string =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.now });
    await page.getByLabel("Code of the app").fill(current());
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();

    server.now += STEP_MS;
    const next = await tested.open(await newLink(), { javaScriptEnabled, as: server.browser() });
    if (javaScriptEnabled) await checkLooks(next, "a link that asks for a code");
    await next.getByLabel("Code").fill("000");
    await next.getByRole("button", { name: "Sign in" }).click();
    await next.locator("#field-code-error").waitFor();
    await next.getByLabel("Code").fill(current());
    await next.getByRole("button", { name: "Sign in" }).click();
    await next.waitForURL(/\/console\/1$/);
  });
