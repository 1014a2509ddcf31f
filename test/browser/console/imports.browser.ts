/** An import as somebody makes it in a browser: upload in parts, columns, dry run, live progress. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { finishJobs } from "../../api/v2/finish-jobs.ts";
import { checkPage } from "../check-page.ts";
import { consoleInBrowser } from "./console-in-browser.ts";

const tested = consoleInBrowser({
  role: "editor",
  expected: /ERR_FAILED|status of (422|503)/,
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Default", at: 1 });
    await store.lists.create({ account: 1, name: "News", at: 1 });
  },
});
const IMPORTS = "/1/imports";
const phone = { viewport: { width: 360, height: 800 }, colorScheme: "dark" } as const;

const checked = async (page: Page): Promise<void> => await checkPage(page, page.url());

const file = (rows: number) => ({
  name: "kunden.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(
    `E-Mail;Vorname;Notiz\n${Array.from({ length: rows }, (_, n) => `p${n}@example.org;Zoë;${"x".repeat(800)}`).join("\n")}\nwrong;;\n`,
  ),
});

test("a file is sent in parts over a connection that breaks, tried and imported with live progress", async () => {
  const page = await tested.open(IMPORTS);
  await checked(page);
  let parts = 0;
  await page.route(/uploads\/\d+$/, async (route) => {
    if (route.request().method() !== "POST") return await route.continue();
    parts += 1;
    // The second part arrives, but its answer does not; the third does not arrive at all.
    if (parts === 2) await route.fetch();
    return await (parts === 2 || parts === 3 ? route.abort() : route.continue());
  });
  await page.locator("input[type=file]").setInputFiles(file(3000));
  await page.getByText("No connection.").waitFor();
  await page.getByRole("heading", { name: "Columns" }).waitFor();
  assert.ok(parts >= 5, `${parts} parts`);
  await page.unroute(/uploads\/\d+$/);
  assert.equal(await page.locator("[name=column-0]").inputValue(), "email");
  assert.equal(await page.locator("[name=newList]").isVisible(), false);
  await checked(page);
  await page.locator("[name=list]").selectOption("new");
  await page.locator("[name=newList]").fill("Winter");
  await page.getByRole("button", { name: "Start the dry run" }).click();
  await page.getByRole("heading", { name: "Dry run" }).waitFor();
  await checked(page);
  await finishJobs(tested.server.store);
  await page.getByRole("heading", { name: "Result of the dry run" }).waitFor();
  await checked(page);
  await page.getByRole("button", { name: "Import now" }).click();
  await page.getByRole("link", { name: "Stop the import" }).waitFor();
  await finishJobs(tested.server.store);
  await page.getByText("They are on the list now.").waitFor();
  await checked(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download the rejected rows" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^import-\d+-rejected\.csv$/);
});

test("an upload that was begun goes on with the same file, and with no other", async () => {
  const page = await tested.open(IMPORTS, phone);
  await page.route(/uploads\/\d+$/, async (route) => {
    const isPart = route.request().method() === "POST";
    return await (isPart ? route.abort() : route.continue());
  });
  await page.locator("input[type=file]").setInputFiles(file(10));
  await page.getByText("No connection.").waitFor();
  await page.unroute(/uploads\/\d+$/);
  await page.goto(`${tested.server.origin}/console/1/imports`);
  await page.getByRole("link", { name: "kunden.csv" }).first().click();
  await checked(page);
  await page.locator("input[type=file]").setInputFiles(file(11));
  await page.getByRole("alert").getByText("This file has").waitFor();
  await page.locator("input[type=file]").setInputFiles(file(10));
  await page.getByRole("heading", { name: "Columns" }).waitFor();
  await checked(page);
});

test("a file that is chosen before the script has arrived is sent", async () => {
  const page = await tested.open("");
  const { promise: chosen, resolve: letScriptArrive } = Promise.withResolvers<void>();
  await page.route(/\/upload\.[^/]*js$/, async (route) => {
    await chosen;
    await route.continue();
  });
  await page.goto(`${tested.server.origin}/console/1/imports`, { waitUntil: "commit" });
  await page.locator("input[type=file]").setInputFiles(file(10));
  letScriptArrive();
  await page.getByRole("heading", { name: "Columns" }).waitFor();
});

test("a page that gets no live progress shows a link to reload it", async () => {
  const page = await tested.open(IMPORTS);
  await page.locator("input[type=file]").setInputFiles(file(20));
  await page.locator("[name=list]").selectOption({ label: "News" });
  await page.route(/\/events$/, (route) => route.fulfill({ status: 503 }));
  await page.getByRole("button", { name: "Start the dry run" }).click();
  const link = page.getByRole("link", { name: "Reload to see the progress" });
  await link.waitFor();
  await finishJobs(tested.server.store);
  // The page also asks again by itself, so the link may be gone before it is clicked.
  await page.reload();
  await page.getByRole("heading", { name: "Result of the dry run" }).waitFor();
});

test("without JavaScript, a file is sent with one form and imported page by page", async () => {
  const page = await tested.open(IMPORTS, { ...phone, javaScriptEnabled: false });
  await page.locator("input[type=file]").setInputFiles(file(20));
  await page.getByRole("button", { name: "Upload" }).click();
  await page.locator("[name=list]").selectOption({ label: "News" });
  await page.getByRole("button", { name: "Start the dry run" }).click();
  await finishJobs(tested.server.store);
  await page.getByRole("link", { name: "Reload to see the progress" }).click();
  await page.getByRole("button", { name: "Import now" }).click();
  await finishJobs(tested.server.store);
  await page.getByRole("link", { name: "Reload to see the progress" }).click();
  await page.getByText("They are on the list now.").waitFor();
});
