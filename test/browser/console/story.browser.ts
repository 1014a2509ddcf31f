/**
 * The first day with the console, from the link that the program prints: a list, an import with German
 * headings, why somebody is not on the list, a corrected name, and a key with a program for a developer.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, afterEach, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { Installation, type Served } from "../../cli/program.ts";
import { checkLooks } from "../check-page.ts";
import { collectComplaints, launchChromium } from "../launch.ts";

const ADMINISTRATOR = "ada@example.org";
const PASSWORD = "correct horse battery staple";
const OPTED_OUT = "juergen@example.org";

/** As an office program saves it: semicolons, ISO 8859-1, one row that is wrong. */
const customers = {
  name: "Kundschaft.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(
    [
      "E-Mail;Vorname;Nachname;Ort;Geburtstag",
      "zoe@example.com;Zoë;Müller;Köln;31.12.1980",
      "bjoern@example.com;Björm;Größe;Düsseldorf;01.02.1990",
      `${OPTED_OUT};Jürgen;Weiß;Würzburg;24.05.1975`,
      "keine Adresse;Käthe;Öztürk;Görlitz;03.04.1966",
      "",
    ].join("\r\n"),
    "latin1",
  ),
};

/** One story: each test goes on where the one before it ended. */
describe("the first day with the console", () => {
  let installation: Installation;
  let served: Served;
  let browser: Browser;
  const complaints: string[] = [];

  before(async () => {
    installation = new Installation();
    [served, browser] = [await installation.serve(), await launchChromium()];
  });
  after(async () => {
    await browser.close();
    await installation.remove();
  });
  afterEach(() => assert.deepEqual(complaints.splice(0), []));

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: "en-GB", ...options });
    const page = await context.newPage();
    collectComplaints(page, () => new URL(served.origin).host, complaints);
    return page;
  }
  const click = (page: Page, role: "button" | "link", name: string): Promise<void> =>
    page.getByRole(role, { name, exact: true }).first().click();
  const navigate = (page: Page, name: string): Promise<void> =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
  /** Focuses the search field. The scripts of a page have run when its content is loaded. */
  async function pressSlash(page: Page): Promise<void> {
    await page.waitForLoadState("domcontentloaded");
    await page.keyboard.press("/");
  }
  async function search(page: Page, text: string): Promise<void> {
    await pressSlash(page);
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  }

  test("from the printed link to a list with people, a corrected name and a program for a developer", async () => {
    const [link = ""] = /http\S+\/console\/link\?token=\S+/.exec(served.output.out) ?? [];
    const page = await newPage();

    await page.goto(link);
    await checkLooks(page, "the first administrator");
    await page.getByLabel("E-mail address").fill(ADMINISTRATOR);
    await page.getByLabel("Name").fill("Ada Lovelace");
    await page.getByLabel("Password").fill(PASSWORD);
    await click(page, "button", "Create and sign in");
    await page.getByText("You are now the administrator of this installation.").waitFor();
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });

    await navigate(page, "Lists");
    await click(page, "link", "New list");
    await page.getByLabel("Name").fill("Kundenbrief");
    await click(page, "button", "Create the list");
    await page.getByText("Nobody is on this list yet").waitFor();

    const [, firstKey = ""] = /shown this once:\s+([0-9A-F]{32})\n/.exec(served.output.out) ?? [];
    const unsubscribed = await served.call("Subscriber.Unsubscribe", { APIKey: firstKey, EMail: OPTED_OUT });
    assert.equal(unsubscribed, "0");
    await navigate(page, "Import");
    await page.locator("input[type=file]").setInputFiles(customers);
    await page.getByRole("heading", { name: "Columns" }).waitFor();
    const becomes = (heading: string) => page.getByLabel(`Import the column "${heading}" as`);
    const guesses = {
      "E-Mail": "email",
      Vorname: "first_name",
      Nachname: "last_name",
      Geburtstag: "birthday",
    };
    for (const [heading, guess] of Object.entries(guesses))
      assert.equal(await becomes(heading).inputValue(), guess, heading);
    await page.getByText("Düsseldorf").first().waitFor();
    await becomes("Ort").selectOption({ label: "New text field with this name" });
    await page.getByLabel("List", { exact: true }).selectOption({ label: "Kundenbrief" });
    await click(page, "button", "Start the dry run");
    await page.getByRole("heading", { name: "Result of the dry run" }).waitFor();
    await page.getByText("They will be on the list.").waitFor();
    await page.getByText("They have unsubscribed, or the file says so. They get no mail.").waitFor();
    await page.getByText("These rows will not be imported.").waitFor();
    await click(page, "button", "Import now");
    await page.getByText("They are on the list now.").waitFor();
    const outcome = (name: string) =>
      page.getByRole("row", { name: new RegExp(`^${name}`) }).locator("td.number");
    assert.equal(await outcome("Added").first().textContent(), "2");
    assert.equal(await outcome("Unsubscribed").first().textContent(), "1");
    assert.equal(await outcome("Rejected").first().textContent(), "1");

    // Why is Jürgen not on the list?
    await search(page, OPTED_OUT);
    await page.getByRole("heading", { name: OPTED_OUT }).waitFor();
    await page.getByText("Gets no mail", { exact: true }).waitFor();
    const why = page.getByText("Unsubscribed from all lists").first();
    assert.match((await why.textContent()) ?? "", /by the key .*Operation Subscriber\.Unsubscribe/s);

    // Björn was misspelt.
    await search(page, "bjoern@example.com");
    await page.getByRole("heading", { name: "bjoern@example.com" }).waitFor();
    await click(page, "link", "Edit");
    assert.equal(await page.getByRole("textbox", { name: /^Ort/ }).inputValue(), "Düsseldorf");
    await page.getByLabel("First name").fill("Björn");
    await click(page, "button", "Save");
    await page.getByText("The changes are saved.").waitFor();
    await page.getByText("First name changed from").waitFor();
    await page.getByText("1 February 1990").or(page.getByText("1 Feb 1990")).first().waitFor();

    await navigate(page, "Integrations");
    await click(page, "link", "New key");
    await page.getByLabel("What is it for?").fill("Webshop");
    await click(page, "button", "Create the key");
    await page.getByText("Copy it now").waitFor();
    await page.getByText("curl", { exact: true }).click();
    const snippet = await page.getByLabel("Program in curl", { exact: true }).textContent();
    const { stdout } = await promisify(execFile)("sh", ["-c", snippet ?? ""]);
    assert.match(stdout, /<Subscriber\.AddResult>0</);
    await click(page, "link", "Go to the key");
    await page.getByRole("heading", { name: "Webshop" }).waitFor();
    await search(page, "zoe@example.org");
    await page.getByRole("heading", { name: "zoe@example.org" }).waitFor();
    await page.getByText("Gets mail: on one list").waitFor();
    await page.getByRole("link", { name: "Webshop" }).first().click();
    // Calls are counted every few seconds.
    const program = page.getByRole("row", { name: /^curl/ });
    while ((await program.count()) === 0) await page.reload();
    assert.equal(await program.locator("td.number").first().textContent(), "1");
    await page.context().close();
  });

  test("without JavaScript, a link and a password sign somebody in, and the link works once", async () => {
    const env = { MAILROLL_PORT: new URL(served.origin).port };
    const { out } = await installation.run(["console", "link", ADMINISTRATOR], { env });
    const [link = ""] = /http\S+\/console\/link\?token=\S+/.exec(out) ?? [];
    const page = await newPage({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    await page.goto(link);
    await click(page, "button", "Sign in");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByLabel("Ada Lovelace: your account").click();
    await click(page, "button", "Sign out");
    await page.getByText("You are signed out.").waitFor();
    const used = await page.request.get(link);
    assert.equal(used.status(), 404);
    await page.getByLabel("E-mail address").fill(ADMINISTRATOR);
    await page.getByLabel("Password").fill(PASSWORD);
    await click(page, "button", "Sign in");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.context().close();
  });

  test("by keyboard alone, somebody signs in and opens a person", async () => {
    const page = await newPage();
    await page.goto(`${served.origin}/console`);
    await tabTo(page, page.getByLabel("E-mail address"));
    await page.keyboard.type(ADMINISTRATOR);
    await tabTo(page, page.getByLabel("Password"));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview" }).waitFor();

    await pressSlash(page);
    assert.ok(await isFocused(page.getByRole("searchbox")), "the slash focuses the search");
    await page.keyboard.press("Escape");
    await tabTo(page, page.getByRole("link", { name: "Subscribers", exact: true }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Subscribers", exact: true }).waitFor();
    await tabTo(page, page.getByRole("link", { name: "bjoern@example.com" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "bjoern@example.com" }).waitFor();
    await tabTo(page, page.getByRole("link", { name: "Edit", exact: true }));
    await page.context().close();
  });
});

const isFocused = (place: Locator): Promise<boolean> =>
  place.evaluate((element: { readonly matches: (selector: string) => boolean }) =>
    element.matches(":focus-visible"),
  );

const MAX_TABS = 60;
async function tabTo(page: Page, place: Locator): Promise<void> {
  for (let pressed = 0; pressed < MAX_TABS; pressed += 1) {
    if (await isFocused(place)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${MAX_TABS} times Tab did not lead to ${String(place)}`);
}
