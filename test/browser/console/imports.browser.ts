/** An import as somebody makes it in a browser: upload in parts, columns, dry run, live progress. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { finishJobs } from "../../api/v2/finish-jobs.ts";
import { type ConsoleServer, startConsole } from "../../console/console-server.ts";
import { collectComplaints, launchChromium } from "../launch.ts";

let server: ConsoleServer;
let browser: Browser;
const complaints: string[] = [];
before(async () => {
  server = await startConsole();
  await server.store.accounts.create({ name: "Default", at: 1 });
  await server.store.lists.create({ account: 1, name: "News", at: 1 });
  browser = await launchChromium();
});
after(async () => {
  await browser.close();
  await server.close();
  assert.deepEqual(server.defects, []);
  assert.deepEqual(complaints, []);
});

/** A page of somebody who is signed in. */
async function opened(hasScript: boolean, width: number): Promise<{ context: BrowserContext; page: Page }> {
  const { cookies } = await server.signedIn("editor");
  const context = await browser.newContext({
    javaScriptEnabled: hasScript,
    viewport: { width, height: 800 },
    colorScheme: hasScript ? "light" : "dark",
  });
  await context.addCookies(
    [...cookies].map(([name, value]) => ({ name, value, url: server.origin, httpOnly: true })),
  );
  const page = await context.newPage();
  const host = (): string => new URL(server.origin).host;
  collectComplaints(page, host, complaints, (text) => /ERR_FAILED|422/.test(text));
  await page.goto(`${server.origin}/console/1/imports`);
  return { context, page };
}
async function checked(page: Page): Promise<void> {
  const width = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(Number(width) <= 0, "the page scrolls sideways");
  await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run()")) as axe.AxeResults;
  assert.deepEqual(
    found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}

const file = (rows: number) => ({
  name: "kunden.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(
    `E-Mail;Vorname;Notiz\n${Array.from({ length: rows }, (_, n) => `p${n}@example.org;Zoë;${"x".repeat(800)}`).join("\n")}\nwrong;;\n`,
  ),
});

test("a file is sent in parts over a connection that breaks, tried and imported with live progress", async () => {
  const { context, page } = await opened(true, 1280);
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
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("heading", { name: "Dry run" }).waitFor();
  await checked(page);
  await finishJobs(server.store);
  await page.getByRole("heading", { name: "What would happen" }).waitFor();
  await checked(page);
  await page.getByRole("button", { name: "Import now" }).click();
  await page.getByRole("link", { name: "Stop the import" }).waitFor();
  await finishJobs(server.store);
  await page.getByText("They are on the list now.").waitFor();
  await checked(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download the rejected rows" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^import-\d+-rejected\.csv$/);
  await context.close();
});

test("an upload that was begun goes on with the same file, and with no other", async () => {
  const { context, page } = await opened(true, 360);
  await page.route(/uploads\/\d+$/, async (route) => {
    const isPart = route.request().method() === "POST";
    return await (isPart ? route.abort() : route.continue());
  });
  await page.locator("input[type=file]").setInputFiles(file(10));
  await page.getByText("No connection.").waitFor();
  await page.unroute(/uploads\/\d+$/);
  await page.goto(`${server.origin}/console/1/imports`);
  await page.getByRole("link", { name: "kunden.csv" }).first().click();
  await checked(page);
  await page.locator("input[type=file]").setInputFiles(file(11));
  await page.getByRole("alert").getByText("This file has").waitFor();
  await page.locator("input[type=file]").setInputFiles(file(10));
  await page.getByRole("heading", { name: "Columns" }).waitFor();
  await checked(page);
  await context.close();
});

test("without JavaScript, a file is sent with one form and imported page by page", async () => {
  const { context, page } = await opened(false, 360);
  await page.locator("input[type=file]").setInputFiles(file(20));
  await page.getByRole("button", { name: "Upload" }).click();
  await page.locator("[name=list]").selectOption({ label: "News" });
  await page.getByRole("button", { name: "Try it" }).click();
  await finishJobs(server.store);
  await page.getByRole("link", { name: "Show how far it is" }).click();
  await page.getByRole("button", { name: "Import now" }).click();
  await finishJobs(server.store);
  await page.getByRole("link", { name: "Show how far it is" }).click();
  await page.getByText("They are on the list now.").waitFor();
  await context.close();
});
