/** Every component of src/html with ordinary and hostile data, as people and assistive technology get it. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { ASSETS_PATH } from "#html/assets.ts";
import { findAsset, linkedAssets } from "#html/served-assets.ts";
import { interactivePage, samplePages } from "../html/sample-pages.ts";
import { checkLooks, type Look } from "./check-page.ts";
import { collectComplaints, launchChromium } from "./launch.ts";

/** The pages of the console have these components in the other two looks. */
const otherLooks: readonly Look[] = [
  ["light", 360],
  ["dark", 1280],
];
const HTML = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": linkedAssets("").contentSecurityPolicy,
};
const isSample = (name: string): name is keyof typeof samplePages => Object.hasOwn(samplePages, name);
const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** The sample pages, a form that counts, a form whose reply never comes, and a stream. */
class SampleServer {
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));
  /** What was sent with the last POST. */
  posted = "";
  #onStream: (stream: ServerResponse) => void = () => {};

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  nextStream(): Promise<ServerResponse> {
    return new Promise((resolve) => {
      this.#onStream = resolve;
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://sample");
    const asset = pathname.startsWith(`${ASSETS_PATH}/`)
      ? findAsset(pathname.slice(ASSETS_PATH.length + 1))
      : null;
    if (asset !== null) {
      response.writeHead(200, asset.headers).end(asset.body);
      return;
    }
    if (request.method === "POST") this.posted = await textOf(request);
    const name = pathname.slice(1);
    if (name === "drop") response.destroy();
    else if (name === "saved") response.writeHead(303, { Location: "/interactive?saved" }).end();
    else if (name === "stream") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
      this.#onStream(response);
    } else if (name === "interactive") {
      const said = searchParams.has("saved") ? this.posted : (searchParams.get("q") ?? "");
      response.writeHead(200, HTML).end(interactivePage(said));
    } else if (isSample(name)) response.writeHead(200, HTML).end(samplePages[name]());
    else response.writeHead(404, HTML).end("<!doctype html><title>None</title>");
  }
}

describe("the components in a browser", () => {
  const server = new SampleServer();
  let host: string;
  let browser: Browser;
  let complaints: string[];

  before(async () => {
    host = await server.start();
    browser = await launchChromium();
  });
  after(async () => {
    await browser.close();
    server.stop();
  });
  beforeEach(() => {
    complaints = [];
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    assert.deepEqual(complaints, []);
  });

  /** `without`: a file that does not arrive. */
  async function open(
    name: string,
    { without, ...options }: BrowserContextOptions & { readonly without?: RegExp } = {},
  ): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    collectComplaints(
      page,
      () => host,
      complaints,
      (text) => /ERR_(EMPTY_RESPONSE|FAILED)/.test(text),
    );
    if (without !== undefined) await page.route(without, (route) => route.abort());
    await page.goto(`http://${host}/${name}`);
    return page;
  }

  for (const name of Object.keys(samplePages))
    test(`the page "${name}" has no accessibility violation and does not scroll sideways`, async () => {
      await checkLooks(await open(name), name, otherLooks);
    });

  test("the web font is used", async () => {
    const page = await open("overview");
    await page.evaluate("document.fonts.ready.then(() => true)");
    assert.ok(await page.evaluate('document.fonts.check("16px Inter Variable")'));
    assert.equal(await page.evaluate("[...document.fonts].map((font) => font.status).join()"), "loaded");
  });

  test("a form changes the page in place: the focus, the scroll position and what is open stay", async () => {
    const page = await open("interactive");
    await page.evaluate("globalThis.isSameDocument = true");
    await page.getByText("Details to keep open").click();
    await page.getByLabel("Name", { exact: true }).fill("Ada & Grace");
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.getByText("Said: field=Ada+%26+Grace").waitFor();
    assert.equal(await page.evaluate("globalThis.isSameDocument"), true);
    assert.equal(new URL(page.url()).search, "?saved");
    assert.equal(await page.evaluate("document.activeElement.name"), "field");
    assert.ok(await page.getByText("Kept open").isVisible());
    assert.equal(await page.locator(".copy").count(), 1);
    await page.goBack();
    await page.getByText("Said: nothing").waitFor();
    assert.equal(await page.evaluate("globalThis.isSameDocument"), true);
  });

  test("a form works without JavaScript", async () => {
    const page = await open("interactive", { javaScriptEnabled: false });
    await page.getByLabel("Name", { exact: true }).fill("Ada");
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.getByText("Said: field=Ada").waitFor();
    await page.getByLabel("Find an address, list, campaign, key or call").fill("grace");
    await page.keyboard.press("Enter");
    await page.getByText("Said: q=grace").waitFor();
  });

  test("forms and links work if the file that changes pages in place has not arrived", async () => {
    const page = await open("interactive", { without: /idiomorph/ });
    await page.getByRole("link", { name: "Reload to see the progress" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Ada");
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.getByText("Said: field=Ada").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await page.goBack();
    await page.getByText("Said: nothing").waitFor();
  });

  test("a reply that cannot be shown in place is loaded as a page", async () => {
    const page = await open("interactive");
    await page.evaluate("Idiomorph.morph = () => { throw new Error('broken'); }");
    await page.getByLabel("Name", { exact: true }).fill("Ada");
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.getByText("Said: field=Ada").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  });

  test("the focus goes to the content if what had it is gone", async () => {
    // In the place of the first one is a link afterwards, and in that of the second one another button.
    for (const name of ["Pause", "Retry"]) {
      const page = await open("interactive");
      await page.getByRole("button", { name }).press("Enter");
      await page.getByRole("link", { name: "Resume" }).waitFor();
      assert.equal(await page.evaluate("document.activeElement.id"), "main", name);
    }
  });

  test("a change without a reply is reported, and not sent twice", async () => {
    const page = await open("interactive");
    await page.getByRole("button", { name: "Send into the void" }).click();
    await page.getByRole("alert").getByText("There was no reply.").waitFor();
  });

  test("the slash key focuses the search, but not while somebody types", async () => {
    const page = await open("interactive");
    await page.keyboard.press("/");
    assert.equal(await page.evaluate("document.activeElement.name"), "q");
    await page.keyboard.type("a/b");
    assert.equal(await page.locator("[data-search]").inputValue(), "a/b");
  });

  test("a stream replaces the content of its element until it ends", async () => {
    const opened = server.nextStream();
    const page = await open("interactive");
    const stream = await opened;
    stream.write("data: <p>12 of <b>50</b></p>\n\n");
    await page.getByText("12 of 50").waitFor();
    stream.write("event: end\ndata: end\n\n");
    await page.getByText("Waiting for the stream").waitFor();
  });

  test("a menu closes with Escape and gives the focus back", async () => {
    const page = await open("members");
    const summary = page.getByLabel("Actions for alan@example.com");
    await summary.click();
    await page.getByRole("link", { name: "Remove from the list" }).first().waitFor();
    await page.keyboard.press("Escape");
    assert.equal(
      await page.evaluate('document.activeElement.getAttribute("aria-label")'),
      "Actions for alan@example.com",
    );
    assert.equal(await page.locator("details.menu[open]").count(), 0);
  });

  test("one box selects all rows", async () => {
    const page = await open("members");
    await page.getByLabel("Select all rows").check();
    assert.equal(await page.locator("tbody .box:checked").count(), 6);
    await page.getByLabel("Select alan@example.com").uncheck();
    assert.ok(!(await page.getByLabel("Select all rows").isChecked()));
  });

  test("on a phone the navigation opens from a button, also without JavaScript", async () => {
    const page = await open("overview", { javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    const link = page.getByRole("link", { name: "Subscribers", exact: true });
    assert.ok(!(await link.isVisible()));
    await page.getByRole("button", { name: "Menu" }).click();
    assert.ok(await link.isVisible());
    await page.getByRole("button", { name: "Close the menu" }).click();
    assert.ok(!(await link.isVisible()));
  });

  test("a file can be dropped", async () => {
    const page = await open("forms");
    await page.evaluate(`{
      const files = new DataTransfer();
      files.items.add(new File(["a,b"], "people.csv", { type: "text/csv" }));
      document.querySelector("[data-drop]").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
    }`);
    assert.equal(await page.evaluate('document.querySelector("[type=file]").files[0].name'), "people.csv");
  });
});
