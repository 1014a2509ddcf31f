/** The overview, the search and the choice of accounts in a browser, with and without JavaScript. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Browser as PlainBrowser } from "../../console/browser.ts";
import { type ConsoleServer, startConsole } from "../../console/console-server.ts";
import { actor } from "../../store/actor.ts";
import { collectComplaints, launchChromium } from "../launch.ts";

const HOSTILE = `<img src=x onerror="alert(1)"> ${"W".repeat(90)}`;

describe("the overview in a browser", () => {
  let server: ConsoleServer;
  let browser: Browser;
  let who: PlainBrowser;
  let complaints: string[];

  before(async () => {
    server = await startConsole();
    const { store, now } = server;
    for (const name of ["Northwind Coffee", "Harbour Books", HOSTILE])
      await store.accounts.create({ name, at: 1 });
    const of = actor(store, 1);
    const list = await of.list("Newsletter");
    const hostile = await of.list(HOSTILE);
    for (let at = 0; at < 40; at += 1)
      await of.add(at % 3 === 0 ? hostile : list, `person${at}@example.org`, now - at * 86_400_000);
    await store.campaigns.record({ account: 1, name: HOSTILE, lists: [list], createdAt: now, sentAt: null });
    who = await server.signedIn(null);
    browser = await launchChromium();
  });
  after(async () => {
    await browser.close();
    await server.close();
    assert.deepEqual(server.defects, []);
  });
  beforeEach(() => {
    complaints = [];
  });
  afterEach(() => assert.deepEqual(complaints, []));

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const value = who.cookies.get("mailroll-session") ?? "";
    await context.addCookies([{ name: "mailroll-session", value, url: server.origin }]);
    const page = await context.newPage();
    collectComplaints(
      page,
      () => new URL(server.origin).host,
      complaints,
      (text) => text.includes("404"),
    );
    await page.goto(`${server.origin}${path}`);
    return page;
  }

  for (const path of [
    "/console/1",
    "/console/2",
    "/console/accounts",
    "/console/1/search",
    "/console/1/none",
  ])
    test(`${path} has no accessibility violation and does not scroll sideways`, async () => {
      const page = await open(path, { bypassCSP: true, reducedMotion: "reduce" });
      await page.evaluate(axe.source);
      for (const colorScheme of ["light", "dark"] as const)
        for (const width of [360, 1280]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
          const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document)");
          const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
          assert.deepEqual(found, [], `${colorScheme}, ${width} px`);
        }
      await page.context().close();
    });

  for (const javaScriptEnabled of [true, false])
    test(`the search shows what it finds ${javaScriptEnabled ? "with" : "without"} JavaScript, and its address does not`, async () => {
      const page = await open("/console/1", { javaScriptEnabled });
      if (javaScriptEnabled) await page.keyboard.press("/");
      else await page.getByRole("searchbox").focus();
      await page.keyboard.type("person1");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Results for “person1”" }).waitFor();
      assert.equal(await page.getByRole("link", { name: /^person1\d?@example\.org$/ }).count(), 5);
      assert.match(page.url(), /\/console\/1\/search\?filter=/);
      assert.doesNotMatch(page.url(), /person/);
      assert.equal(await page.getByRole("searchbox").inputValue(), "person1");
      await page.reload();
      await page.getByRole("heading", { name: "Results for “person1”" }).waitFor();
      await page.context().close();
    });

  test("another range is chosen, and a new account is created and begins with the first steps", async () => {
    const page = await open("/console/1", { javaScriptEnabled: false });
    await page.getByRole("link", { name: "1 year" }).click();
    await page.getByText("Joined and left per week").first().waitFor();
    await page.goto(`${server.origin}/console/accounts`);
    await page.getByLabel("Name").fill("Third");
    await page.getByRole("button", { name: "Create the account" }).click();
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    await page.context().close();
  });
});
