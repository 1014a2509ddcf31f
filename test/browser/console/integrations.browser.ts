/** The pages about API keys in a browser, with and without JavaScript. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { storedForm } from "../../../src/domain/access/key.ts";
import { hashSecret, newSecret, SESSION_MS } from "../../../src/domain/access/session.ts";
import { dayOf } from "../../../src/domain/calendar.ts";
import { quirkKinds } from "../../../src/domain/statistics.ts";
import { type Service, startService } from "../../service.ts";
import { addressOf } from "../../store/actor.ts";
import { collectComplaints, launchChromium } from "../launch.ts";

const HOSTILE = `<img src=x onerror="alert(1)"> & Co ${"W".repeat(60)}`;

describe("integrations in a browser", () => {
  let service: Service;
  let browser: Browser;
  let session = "";
  let key = 0;
  let complaints: string[] = [];

  before(async () => {
    [service, browser] = [await startService(), await launchChromium()];
    const { store } = service;
    const at = Date.now();
    const made = { account: 1, label: HOSTILE, scope: "full", expiresAt: null, at } as const;
    key = (await store.keys.create({ ...made, ...storedForm("KEY-OF-THE-SHOP-123") }))?.id ?? 0;
    await store.statistics.addCalls({
      calls: [0, 1, 5].map((ago) => ({
        ...{ key, day: dayOf(at) - ago, program: HOSTILE, calls: 1000, refusals: 20, faults: 3 },
      })),
      quirks: quirkKinds.map((quirk) => ({ key, quirk, program: HOSTILE, seenAt: at })),
    });
    session = newSecret();
    const address = addressOf("ada@example.org");
    const role = { account: 1, role: "owner" } as const;
    const user = await store.users.create({ address, name: "Ada", isAdministrator: false, role, at });
    assert.ok(typeof user === "object");
    const of = { user: user.id, hash: hashSecret(session), client: "::1", program: "Chromium" };
    await store.sessions.create({ ...of, at, expiresAt: at + SESSION_MS });
  });
  after(async () => {
    await browser.close();
    await service.close();
  });
  beforeEach(() => {
    complaints = [];
  });
  afterEach(() => assert.deepEqual(complaints, []));

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: "en-GB", ...options });
    await context.addCookies([{ name: "mailroll-session", value: session, url: service.origin }]);
    const page = await context.newPage();
    collectComplaints(page, () => new URL(service.origin).host, complaints);
    await page.goto(`${service.origin}/console/1${path}`);
    return page;
  }

  for (const javaScriptEnabled of [true, false])
    test(`a key is created, handed on with a program and revoked, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const page = await open("/integrations", { javaScriptEnabled });
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
      await page.context().close();
    });

  test("the panels of a new key are chosen by keyboard", async () => {
    const page = await open("/integrations/new");
    await page.getByLabel("What is it for?").fill("Keyboard");
    await page.keyboard.press("Enter");
    const php = page.getByRole("radio", { name: "PHP" });
    await php.focus();
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.getByLabel("Program in Python", { exact: true }).isVisible());
    await page.context().close();
  });

  const paths = [() => "", () => "/new", () => `/${key}`, () => `/${key}/change`, () => `/${key}/revoke`];
  for (const [width, colorScheme, shown] of [
    [360, "light", paths],
    [1280, "dark", paths.slice(0, 3)],
  ] as const)
    test(`the pages fit ${width} pixels in the ${colorScheme}, and axe finds nothing`, async () => {
      const page = await open("/integrations", { viewport: { width, height: 800 }, colorScheme });
      for (const path of shown) {
        await page.goto(`${service.origin}/console/1/integrations${path()}`);
        await check(page, path());
      }
      await page.goto(`${service.origin}/console/1/integrations/new`);
      await page.getByLabel("What is it for?").fill(HOSTILE);
      await page.getByRole("button", { name: "Create the key" }).click();
      await page.getByLabel("The API key", { exact: true }).waitFor();
      await check(page, "created");
      await page.context().close();
    });

  async function check(page: Page, path: string): Promise<void> {
    const wider = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    assert.ok(wider <= 0, `${path} is ${wider} pixels wider than the window`);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>("axe.run()");
    assert.deepEqual(
      violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      [],
      path,
    );
  }
});
