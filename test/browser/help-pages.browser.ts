import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { contract } from "#contract/operations.ts";
import { Installation, type Served } from "../cli/program.ts";
import { KEY } from "../service.ts";
import { checkKeyboard } from "./check-keyboard.ts";
import { checkLooks, checkWidth } from "./check-page.ts";
import { collectComplaints, launchChromium } from "./launch.ts";

const names = Object.keys(contract.operations);
const ADD = "Subscriber.Add";
const ADD_WITH_CUSTOMS = "Subscriber.AddwithBasicandCustoms";
const ADD_FIELD = "Field.Add";
const GET_FIELDS = "Field.GetFields";
/** Without its markup. */
const headingIn = (page: string): string | undefined =>
  /<h1>(.*?)<\/h1>/.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, "");

describe("the help pages in a browser", () => {
  const home = new Installation();
  let program: Served;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  before(async () => {
    program = await home.serve([], { MAILROLL_API_KEY: KEY });
    browser = await launchChromium();
  });
  after(async () => {
    await home.remove();
    await browser.close();
  });

  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const opened = await context.newPage();
    // The browser reports a fault (500) and an unknown operation (404) as failures of its own accord.
    collectComplaints(
      opened,
      () => new URL(program.endpoint).host,
      complaints,
      (text) => /status of (500|404)/.test(text),
    );
    return opened;
  }
  beforeEach(async () => {
    complaints = [];
    page = await openPage();
  });
  afterEach(async () => {
    await page.context().close();
    assert.deepEqual(complaints, []);
  });

  const operationUrl = (name: string): string => `${program.endpoint}?op=${name}`;
  const control = (name: string) => page.locator(`form [data-element="${name}"]`);
  const verdict = () => page.locator("#reply .verdict");
  const reply = () => page.getByLabel("Reply", { exact: true });

  async function send(): Promise<string> {
    // The old reply goes first, so that only the new one can be read.
    await page.locator("#reply").evaluate((node) => node.replaceChildren());
    await page.getByRole("button", { name: "Send" }).click();
    return verdict().innerText();
  }
  async function fill(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) await control(name).fill(value);
  }

  async function checkWide(url: string): Promise<void> {
    await page.setViewportSize({ width: 1920, height: 1080 });
    await checkWidth(page, `${url}, 1920 px`);
    await checkKeyboard(page, url);
  }

  test("the index lists every operation, and every link works", async () => {
    const response = await page.goto(program.endpoint);
    assert.match(response?.headers()["content-security-policy"] ?? "", /default-src 'none'/);
    const shown = await page.locator(".operations a").allInnerTexts();
    assert.deepEqual(shown, names);
    const links = await page
      .locator("main a, .foot a:not([href$=console])")
      .evaluateAll((anchors) => anchors.map((anchor) => String(Reflect.get(anchor, "href"))));
    assert.ok(links.length >= names.length + 3);
    for (const link of links) {
      const answer = await page.request.get(link);
      assert.equal(answer.status(), 200, link);
      const operation = new URL(link).searchParams.get("op");
      if (operation !== null) assert.equal(headingIn(await answer.text()), operation);
      assert.match(
        answer.headers()["content-type"] ?? "",
        /[?](wsdl|disco)/.test(link) ? /text\/xml/ : /text\/html/,
      );
    }
  });

  for (const version of ["SOAP 1.1", "SOAP 1.2"])
    test(`the form distinguishes a success, a refusal and a fault, ${version}`, async () => {
      await page.goto(operationUrl(ADD));
      await page.getByText(version, { exact: true }).first().click();
      await fill({ APIKey: KEY, SubscribersListID: "1", EMail: "ada@example.org" });
      assert.match(await send(), /^0 Done/);
      assert.match(
        await page.locator("#reply .status").innerText(),
        new RegExp(`^HTTP 200, \\d+ ms, ${version}$`),
      );
      assert.match(await reply().innerText(), /\n +<Subscriber\.AddResult>0<\/Subscriber\.AddResult>\n/);
      await fill({ EMail: "not an address" });
      assert.match(await send(), /^1 InvalidEmail\s+The e-mail address is missing/);
      await fill({ EMail: "ada@example.org", APIKey: "F".repeat(32) });
      assert.match(await send(), /^Fault InvalidApiKey\s+\S/);
      assert.match(await page.locator("#reply .status").innerText(), /^HTTP 500/);
    });

  test("a key is kept for the next operation, but not for another tab", async () => {
    await page.goto(operationUrl(ADD));
    await fill({ APIKey: KEY, SubscribersListID: "1", EMail: "ada@example.org" });
    await send();
    await page.goto(operationUrl(GET_FIELDS));
    assert.equal(await control("APIKey").inputValue(), KEY);
    assert.equal(await page.evaluate("localStorage.length + document.cookie.length"), 0);
    const other = await page.context().newPage();
    await other.goto(operationUrl(GET_FIELDS));
    assert.equal(await other.locator('[data-element="APIKey"]').inputValue(), "");
  });

  test("a value with markup, quotes and an emoji is sent unchanged", async () => {
    const fieldName = `<&>"' ]]> 🎈`;
    await page.goto(operationUrl(ADD_FIELD));
    await fill({ APIKey: KEY, fieldName });
    await control("isPrivate").selectOption("false");
    await control("dataType").selectOption("STRING");
    assert.match(await send(), /^0 Done/);
    await page.goto(operationUrl(GET_FIELDS));
    assert.match(await send(), /^\d+ records?$/);
    const found = /<Name>([^<]*🎈)<\/Name>/.exec(await reply().innerText())?.[1];
    assert.equal(found?.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"), fieldName);
  });

  test("rows of records can be added and removed; empty parameters and rows are omitted", async () => {
    await page.goto(operationUrl(ADD_FIELD));
    await fill({ APIKey: KEY, fieldName: "Town" });
    await control("dataType").selectOption("STRING");
    await send();
    await page.goto(operationUrl(GET_FIELDS));
    await send();
    const town = /<FieldId>(\d+)<\/FieldId>\s*<Name>Town</.exec(await reply().innerText())?.[1];
    assert.ok(town !== undefined);

    await page.goto(operationUrl(ADD_WITH_CUSTOMS));
    assert.ok(!(await page.getByText("The form needs JavaScript").isVisible()));
    await fill({ SubscribersListID: "1", EMail: "grace@example.org" });
    const rows = page.locator(".row");
    assert.equal(await rows.count(), 1);
    await page.getByRole("button", { name: "Add a customField" }).click();
    await page.getByRole("button", { name: "Add a customField" }).click();
    const second = rows.nth(1);
    await second.getByLabel("Customfieldid").fill(town);
    await second.getByLabel("Value").fill("Paris & Lyon");
    await rows.nth(2).getByLabel("Customfieldid").fill("987654321");
    assert.match(await send(), /^252 UnknownField/);
    await rows.nth(2).getByRole("button", { name: "Remove" }).click();
    assert.equal(await rows.count(), 2);
    assert.match(await send(), /^0 Done/);
    const sent = (await page.getByLabel("Request as it was sent", { exact: true }).textContent()) ?? "";
    assert.match(
      sent.replace(/\n */g, ""),
      new RegExp(
        `<CustomsFields><customField><Customfieldid>${town}</Customfieldid><Value>Paris &amp; Lyon</Value></customField></CustomsFields>`,
      ),
    );
    assert.ok(!sent.includes("Gender") && !sent.includes("Birthday"));
  });

  test("the example fills the form, but does not replace a key that was typed in", async () => {
    await page.goto(operationUrl(ADD_WITH_CUSTOMS));
    await fill({ APIKey: "my own" });
    await page.getByRole("button", { name: "Fill in the example" }).click();
    assert.equal(await control("APIKey").inputValue(), "my own");
    assert.equal(await control("EMail").inputValue(), "ada@example.org");
    assert.equal(await page.locator(".row").getByLabel("Value").inputValue(), "London");
  });

  test("an empty form is not sent: the missing fields are named and marked", async () => {
    await page.goto(operationUrl(ADD_WITH_CUSTOMS));
    const calls: string[] = [];
    page.on("request", (request) => calls.push(request.method()));
    assert.match(await send(), /^Not sent\s+Fill in APIKey, SubscribersListID, and EMail\.$/);
    assert.deepEqual(calls, []);
    assert.equal(await page.evaluate("document.activeElement.dataset.element"), "APIKey");
    assert.equal(await control("EMail").getAttribute("aria-invalid"), "true");
    assert.equal(await control("FirstName").getAttribute("aria-invalid"), null);
  });

  test("the samples have the key that was typed, unless it would need escaping", async () => {
    await page.goto(operationUrl(ADD));
    const samples = async (): Promise<string> => (await page.locator(".tabs").textContent()) ?? "";
    const length = async (): Promise<number> => Number(/Content-Length: (\d+)/.exec(await samples())?.[1]);
    const before = [await samples(), await length()] as const;
    await fill({ APIKey: "my-own.key" });
    assert.equal((await samples()).split("my-own.key").length, 4);
    assert.equal(await length(), before[1] - 32 + "my-own.key".length);
    await fill({ APIKey: "<'&" });
    assert.equal(await samples(), before[0]);
  });

  test("no page has an accessibility violation", async () => {
    const { origin } = new URL(program.endpoint);
    for (const [url, status] of [
      [program.endpoint, 200],
      [operationUrl(ADD_WITH_CUSTOMS), 200],
      [operationUrl("Nope"), 404],
      [`${origin}/no-such-page`, 404],
    ] as const) {
      const reply = await page.goto(url);
      assert.equal(reply?.status(), status, url);
      assert.match(reply.headers()["content-type"] ?? "", /text\/html/, url);
      await checkLooks(page, url);
      await checkWide(url);
    }
  });

  test("the API reference has no accessibility violation", async () => {
    const url = `${new URL(program.endpoint).origin}/api/v2/reference`;
    const reply = await page.goto(url);
    assert.equal(reply?.status(), 200);
    await page.setViewportSize({ width: 360, height: 800 });
    await checkWidth(page, `${url}, 360 px`);
    // All operations are made alike, and axe takes a minute for all of them.
    await page.evaluate("[...document.querySelectorAll('article')].slice(8).forEach((one) => one.remove())");
    await checkLooks(page, url);
    await checkWide(url);
  });

  test("the search of the API reference shows operations by their words, with the keyboard alone", async () => {
    await page.goto(`${new URL(program.endpoint).origin}/api/v2/reference`);
    const all = await page.locator("article:visible").count();
    await page.keyboard.press("/");
    await page.keyboard.type("subscriber find");
    const shown = await page.locator("article:visible").count();
    assert.ok(shown > 0 && shown < all, `${shown} of ${all}`);
    assert.equal(await page.locator("#found").textContent(), `${shown} operations`);
    await page.keyboard.press("Enter");
    const first = page.locator("article:visible h3").first();
    assert.equal(new URL(page.url()).hash, `#${await first.getAttribute("id")}`);
    await page.locator("[data-search]").fill("zzzz");
    assert.equal(await page.locator("article:visible").count(), 0);
    await page.getByRole("link", { name: "Problems", exact: true }).click();
    await page.getByRole("heading", { name: "Problems" }).waitFor();
    assert.equal(await page.locator("article:visible").count(), all);
    const plain = await openPage({ javaScriptEnabled: false });
    await plain.goto(page.url());
    assert.equal(await plain.locator("article:visible").count(), all);
    assert.equal(await plain.getByLabel("Search the operations").isVisible(), false);
    await plain.context().close();
  });

  test("the example leaves the key to be typed, and says so before anything is sent", async () => {
    await page.goto(operationUrl(ADD));
    const calls: string[] = [];
    page.on("request", (request) => calls.push(request.method()));
    await page.getByRole("button", { name: "Fill in the example" }).click();
    assert.match(await send(), /^Not sent\s+Fill in APIKey\.$/);
    assert.deepEqual(calls, []);
  });

  test("the tabs show one sample at a time, and the copy button copies it", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(operationUrl(ADD));
    const curl = page.getByLabel("curl command", { exact: true });
    assert.ok(await curl.isVisible());
    await page.getByRole("button", { name: "Copy: curl command" }).click();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), await curl.textContent());
    await page.locator("label[for=sample-12]").click();
    assert.ok(!(await curl.isVisible()));
    assert.ok(await page.getByLabel("Request, SOAP 1.2", { exact: true }).isVisible());
    assert.ok(!(await page.getByLabel("Request, SOAP 1.1", { exact: true }).isVisible()));
  });

  test("no page scrolls sideways on a phone", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const url of [program.endpoint, ...names.map(operationUrl)]) {
      await page.goto(url);
      if (url !== program.endpoint) {
        await page.getByRole("button", { name: "Fill in the example" }).click();
        await send();
      }
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360, url);
    }
  });

  test("the page is dark with a dark color scheme", async () => {
    const brightness = async (): Promise<number> => {
      const colour = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      return (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    };
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(program.endpoint);
    assert.ok((await brightness()) > 700);
    await page.emulateMedia({ colorScheme: "dark" });
    assert.ok((await brightness()) < 150);
  });

  test("without JavaScript the form is hidden and the samples still work", async () => {
    const plain = await openPage({ javaScriptEnabled: false });
    await plain.goto(operationUrl(ADD));
    assert.ok(!(await plain.locator("form").isVisible()));
    assert.ok(await plain.getByText("The form needs JavaScript").isVisible());
    await plain.locator("label[for=sample-11]").click();
    assert.ok(await plain.getByLabel("Request, SOAP 1.1", { exact: true }).isVisible());
    await plain.context().close();
  });
});
