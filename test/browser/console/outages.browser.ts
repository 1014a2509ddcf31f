/** What the script does while the service cannot answer: nothing that was typed is lost, and pages go on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { finishJobs } from "../../api/v2/finish-jobs.ts";
import { consoleInBrowser } from "./console-in-browser.ts";

const tested = consoleInBrowser({
  role: "editor",
  expected: /status of (422|503)|ERR_FAILED/,
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

test("a form that is sent after the session has ended is kept, and can be sent after a sign-in", async () => {
  const { store } = tested.server;
  const somebody = await tested.server.signedIn("editor");
  const page = await tested.open("/1/lists/new", { as: somebody });
  await page.locator("[name=name]").fill("Another long name");
  const [session] = await store.sessions.ofUser({ user: somebody.user.id, at: tested.server.now });
  await store.sessions.end({ user: somebody.user.id, id: session?.id ?? 0 });
  await page.getByRole("button", { name: "Create" }).click();
  const notice = page.locator("#notice");
  await notice.getByText("You are not signed in any more.").waitFor();
  assert.equal(await page.locator("[name=name]").inputValue(), "Another long name");
  const [signIn] = await Promise.all([
    page.waitForEvent("popup"),
    notice.getByRole("link", { name: "Sign in in another tab" }).click(),
  ]);
  await signIn.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await signIn.getByText("was not saved").count(), 0);
  const again = await tested.server.signedIn("editor");
  const url = tested.server.origin;
  await page.context().addCookies([...again.cookies].map(([name, value]) => ({ name, value, url })));
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Another long name" }).waitFor();
});

test("a form that is sent after the session has ended leads to the sign-in without JavaScript", async () => {
  const page = await tested.open("/1/lists/new", { javaScriptEnabled: false });
  await page.locator("[name=name]").fill("Lost");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("What you sent was not saved.").waitFor();
  // With a script, the form to sign in is one like others.
  const withScript = await tested.open(page.url().split("/console")[1] ?? "", {
    as: tested.server.browser(),
  });
  await withScript.getByLabel("E-mail address").fill("ada@example.org");
  await withScript.getByLabel("Password").fill("not the password");
  await withScript.getByRole("button", { name: "Sign in" }).click();
  await withScript.getByText("The e-mail address or the password is wrong.").waitFor();
});

test("signing out leads to the sign-in, also if the session has ended before", async () => {
  for (const hasEnded of [false, true]) {
    const page = await tested.open("/1/lists", { as: await tested.server.signedIn("editor") });
    if (hasEnded) await page.context().clearCookies();
    await page.locator("details:has([action$=sign-out]) > summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
  }
});

/** The page of a dry run that waits until the test does the jobs. Its address cannot be read any more. */
async function openSilentDryRun(): Promise<Page> {
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
  return page;
}

test("live progress goes on after the service could not answer", async () => {
  const page = await openSilentDryRun();
  await finishJobs(tested.server.store);
  await page.unroute(/uploads\/\d+$/);
  await page.getByRole("heading", { name: "Result of the dry run" }).waitFor();
});

test("the notice about a form without a reply stays when the service answers again", async () => {
  const page = await openSilentDryRun();
  await page.route(/\/search$/, (route) => route.abort());
  await page.getByRole("searchbox").fill("ada");
  await page.getByRole("searchbox").press("Enter");
  const notice = page.getByRole("alert").getByText("There was no reply.");
  await notice.waitFor();
  const read = page.waitForResponse((response) => /uploads\/\d+$/.test(response.url()) && response.ok());
  await page.unroute(/uploads\/\d+$/);
  await read;
  await page.waitForTimeout(500);
  assert.ok(await notice.isVisible());
});
