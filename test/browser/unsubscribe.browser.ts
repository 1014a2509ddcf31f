/** The page behind an unsubscribe link in a browser: on a telephone, light and dark, without JavaScript. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startUnsubscribeService, type UnsubscribeService } from "../unsubscribe/unsubscribe-service.ts";
import { checkKeyboard } from "./check-keyboard.ts";
import { checkDirection, checkLooks } from "./check-page.ts";
import { collectComplaints, launchChromium } from "./launch.ts";

const LOOKS = [
  ["light", 360],
  ["dark", 360],
  ["light", 1280],
] as const;
const HOSTILE = `<img src=x onerror="alert(1)"> & Co \u202eW`;

describe("the page of an unsubscribe link in a browser", () => {
  let tested: UnsubscribeService;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  before(async () => {
    tested = await startUnsubscribeService();
    const name = HOSTILE;
    await tested.store.accounts.set({ id: tested.account, settings: { name } });
    await tested.store.lists.set({ account: tested.account, id: tested.lists.offers, name });
    browser = await launchChromium();
  });
  after(async () => {
    await browser.close();
    await tested.service.close();
  });
  beforeEach(async () => {
    complaints = [];
    const context = await browser.newContext({ javaScriptEnabled: true, hasTouch: true });
    page = await context.newPage();
    collectComplaints(
      page,
      () => new URL(tested.service.origin).host,
      complaints,
      (text) => /status of 404/.test(text),
    );
  });
  afterEach(async () => {
    await page.context().close();
    assert.deepEqual(complaints, []);
  });
  const open = async (token: string): Promise<void> => {
    await page.goto(`${tested.service.origin}/u/${token}`);
  };
  const heading = (name: string): Promise<void> => page.getByRole("heading", { level: 1, name }).waitFor();
  const press = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
  async function check(what: string): Promise<void> {
    await checkLooks(page, what, LOOKS);
    await checkDirection(page, what);
    await checkKeyboard(page, what);
  }

  test("a person unsubscribes, and undoes it", async () => {
    await open(await tested.join("ada@example.org"));
    await heading("Unsubscribe?");
    await check("the page of a link");
    await press("Unsubscribe");
    await heading("You are unsubscribed");
    assert.equal((await tested.person("ada@example.org")).state, "unsubscribed");
    await check("the page after unsubscribing");
    await press("Undo");
    await heading("Undone");
    assert.equal((await tested.person("ada@example.org")).state, "active");
    await check("the page after undoing");
  });

  test("a person leaves one list only, and then all of them", async () => {
    await open(await tested.join("grace@example.org"));
    await press("Leave this list only (News)");
    await heading("You have left the list");
    await check("the page after leaving a list");
    const { state, lists } = await tested.person("grace@example.org");
    assert.deepEqual([state, lists.map(([name]) => name)], ["active", [HOSTILE, "Other"]]);
    await press("Unsubscribe from all lists");
    await heading("You are unsubscribed");
    assert.equal((await tested.person("grace@example.org")).state, "unsubscribed");
  });

  test("a person whose browser runs no scripts unsubscribes with one button", async () => {
    const token = await tested.join("alan@example.org");
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    const requests: string[] = [];
    plain.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await plain.goto(`${tested.service.origin}/u/${token}`);
    await plain.getByRole("button", { name: "Unsubscribe", exact: true }).click();
    await plain.getByRole("heading", { name: "You are unsubscribed" }).waitFor();
    assert.deepEqual(
      requests.filter((request) => !request.includes("svg+xml")),
      [`GET /u/${token}`, `POST /u/${token}`],
    );
    assert.deepEqual(await context.cookies(), []);
    await context.close();
  });

  test("a broken link says what to do", async () => {
    await open("broken");
    await heading("This link does not work");
    await check("the page of a broken link");
  });
});
