/** The form in which a campaign is written: the message beside it follows what is typed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { Browser } from "../../console/browser.ts";
import { senderValues } from "../../sending-campaign.ts";
import { addressOf } from "../../store/actor.ts";
import { checkLooks } from "../check-page.ts";
import { consoleInBrowser } from "./console-in-browser.ts";

const tested = consoleInBrowser({
  role: "owner",
  // A picture in a message, which the policy of its frame refuses, and which does not exist.
  expected: /none\.png|status of (?:404|409)|ERR_BLOCKED/,
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Acme", at: 1 });
    await store.lists.create({ account: 1, name: "News", at: 1 });
    const by = { account: 1, list: 1, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
    await store.subscribers.add({ ...by, address: addressOf("grace@example.org") });
    await store.senders.create({ ...senderValues, account: 1, createdAt: 1 });
  },
});

/** In the editor, in place of what is there. */
async function write(page: Page, name: "Markdown" | "HTML", text: string): Promise<void> {
  await page.getByRole("textbox", { name, exact: true }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}
const frameOf = (page: Page) => page.frameLocator("iframe.loaded");

test("what is typed is shown beside the form before it was ever saved, and a mistake keeps the last message", async () => {
  const page = await tested.open("/1/campaigns/new");
  await page.getByText("The subject is missing").waitFor();
  const history = await page.evaluate<number>("history.length");
  await page.getByLabel("Subject").fill("Hi {{ first_name }}");
  await write(page, "Markdown", "# Dear {{ first_name }}");
  await frameOf(page).getByRole("heading", { name: "Dear Ada" }).waitFor();
  await page.locator(".inbox-line").getByText("Hi Ada").waitFor();
  await write(page, "Markdown", "# Hello {{ frist_name }}");
  await page.getByText(/line 1: There is no merge field "frist_name"/).waitFor();
  assert.ok(await frameOf(page).getByRole("heading", { name: "Dear Ada" }).isVisible());
  // Typing is nothing to go back through.
  assert.equal(await page.evaluate<number>("history.length"), history);
  await write(page, "Markdown", "# Hello {{ email }}");
  await page.getByLabel("As it reaches").selectOption("a subscriber");
  await page.getByLabel("E-mail of the subscriber").fill("grace@example.org");
  await frameOf(page).getByRole("heading", { name: "Hello grace@example.org" }).waitFor();
  await page.getByText("Merge fields", { exact: true }).click();
  const values = page.locator("[data-merge-fields] li");
  await values.filter({ hasText: "{{ email }}" }).getByText("grace@example.org").waitFor();
  await page.locator("[name=preview-part][value=text]").check();
  await page.locator(".preview-text").getByText("Hello grace@example.org").waitFor();
});

const styled = () => `<style>
  p { width: 300px } @media (prefers-color-scheme: dark) { p { width: 200px !important } } @media (max-width: 500px) { p { height: 70px } }
</style><p>Wide</p><img src="${tested.server.origin}/none.png" alt="A picture">
{{ postal_address }} {{ unsubscribe_url }}`;

test("the frame applies the styles of the message, in the colours and the width that were chosen", async () => {
  // Its own styles are what a document of this page's policy would not have.
  const page = await tested.open("/1/campaigns/new", { viewport: { width: 1900, height: 900 } });
  await page.getByLabel("Your own document").check();
  await write(page, "HTML", styled());
  const sizeOf = async (wanted: number, side: "width" | "height" = "width") => {
    const paragraph = frameOf(page).getByText("Wide");
    const deadline = performance.now() + 10_000;
    let found: number | undefined;
    do found = (await paragraph.boundingBox({ timeout: 1000 }).catch(() => null))?.[side];
    while (found !== wanted && performance.now() < deadline);
    assert.equal(found, wanted, side);
  };
  await sizeOf(300);
  await page.locator("[name=preview-scheme][value=dark]").check();
  await sizeOf(200);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("[name=preview-scheme][value=light]").check();
  await sizeOf(300);
  await page.getByLabel("Phone").check();
  await sizeOf(70, "height");
});

test("pictures of other servers are loaded when the user asks for them", async () => {
  const page = await tested.open("/1/campaigns/new");
  /** Refused by the policy of the frame, or by the service, which refuses requests of other origins. */
  const failed = (isByPolicy: boolean) =>
    page.waitForEvent(
      "requestfailed",
      (one) => one.url().endsWith("/none.png") && (one.failure()?.errorText === "csp") === isByPolicy,
    );
  const refused = failed(true);
  await page.getByLabel("Your own document").check();
  await write(page, "HTML", styled());
  await frameOf(page).getByAltText("A picture").waitFor();
  await refused;
  const asked = failed(false);
  await page.getByLabel("Show pictures").check();
  await asked;
});

test("without a script there is no preview beside the form, and a page of its own", async () => {
  const page = await tested.open("/1/campaigns/new", { javaScriptEnabled: false });
  assert.equal(await page.locator(".draft-preview").isVisible(), false);
  await page.getByLabel("Name", { exact: true }).fill("Spring");
  await page.getByLabel("Subject").fill("Hi");
  await page.locator("#field-markdown").fill("# Hello");
  await page.getByRole("button", { name: "Save and preview" }).click();
  await page.frameLocator("iframe").getByRole("heading", { name: "Hello" }).waitFor();
});

test("a draft saves itself after its first save, and asks when somebody else has saved it", async () => {
  const page = await tested.open("/1/campaigns/new");
  await page.getByText("Save it once; from then on it saves itself.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Autumn");
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.waitForURL(/\/edit$/);
  const state = page.locator("[data-save-state]");
  await state.getByText("Saved", { exact: true }).waitFor();
  await page.getByLabel("Subject").fill("Warm colours");
  await state.getByText("Not saved", { exact: true }).waitFor();
  await state.getByText("Saved", { exact: true }).waitFor();
  const campaign = Number(/campaigns\/(\d+)/.exec(page.url())?.[1]);
  const of = { account: 1, campaign };
  const stored = async () => (await tested.server.store.mailings.byId(of))?.content.subject;
  assert.equal(await stored(), "Warm colours");
  // In place.
  await page.getByLabel("Subject").fill("Warmer colours");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await state.getByText("Saved", { exact: true }).waitFor();
  assert.match(page.url(), /\/edit$/);
  assert.equal(await stored(), "Warmer colours");
  await tested.server.store.mailings.setContent({ ...of, changes: { subject: "Cold colours" } });
  await page.getByLabel("Subject").fill("Hot colours");
  await page.getByText("somebody else has changed the draft").waitFor();
  assert.equal(await stored(), "Cold colours");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const both = page.locator(".conflict");
  await both.getByText("Cold colours").waitFor();
  await both.getByText("Hot colours").waitFor();
  await checkLooks(page, "conflict");
  await both.getByRole("button", { name: "Save mine" }).click();
  await page.getByRole("heading", { name: "Autumn", exact: true }).waitFor();
  assert.equal(await stored(), "Hot colours");
  // Leaving saves, too. The link is not on phones.
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(`${tested.server.origin}/console/1/campaigns/${campaign}/edit`);
  await state.getByText("Saved", { exact: true }).waitFor();
  await page.getByLabel("Subject").fill("Left");
  await page.getByRole("link", { name: "Close" }).click();
  await page.getByRole("heading", { name: "Autumn", exact: true }).waitFor();
  for (let tries = 0; tries < 100 && (await stored()) !== "Left"; tries += 1) await page.reload();
  assert.equal(await stored(), "Left");
});

/** Opens a new draft; the page was changed in place since the one before it. */
async function openDraft(name: string, as?: Browser) {
  const page = await tested.open("/1/campaigns/new", as && { as });
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.waitForURL(/\/edit$/);
  const state = page.locator("[data-save-state]");
  await state.getByText("Saved", { exact: true }).waitFor();
  const of = { account: 1, campaign: Number(/campaigns\/(\d+)/.exec(page.url())?.[1]) };
  const subject = async () => (await tested.server.store.mailings.byId(of))?.content.subject;
  return { page, state, subject };
}

test("who goes back or signs out right after typing loses nothing of a draft, and is asked about a new campaign", async () => {
  const signedIn = await tested.server.signedIn("owner");
  const { page, state, subject } = await openDraft("Winter", signedIn);
  const until = async (wanted: string) => {
    for (let tries = 0; tries < 100 && (await subject()) !== wanted; tries += 1) await page.reload();
    assert.equal(await subject(), wanted);
  };
  await page.getByLabel("Subject").fill("Gone back");
  await page.evaluate("history.back()");
  await page.getByRole("heading", { name: "New campaign" }).waitFor();
  await until("Gone back");
  await page.getByLabel("Name", { exact: true }).fill("Spring");
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.waitForURL(/\/edit$/);
  await state.getByText("Saved", { exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "New campaign" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Never saved");
  const asked = page.waitForEvent("dialog");
  await page.evaluate("history.forward()");
  await (await asked).accept();
  await page.getByRole("heading", { name: /^Edit/ }).waitFor();
  await state.getByText("Saved", { exact: true }).waitFor();
  const campaign = Number(/campaigns\/(\d+)/.exec(page.url())?.[1]);
  await page.getByLabel("Subject").fill("Signed out");
  await page.evaluate(`[...document.querySelectorAll("form")]
    .find(({ action }) => action.endsWith("/sign-out")).requestSubmit()`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const stored = await tested.server.store.mailings.byId({ account: 1, campaign });
  assert.equal(stored?.content.subject, "Signed out");
});

test("saves wait for one another, so nobody is told of a change by somebody else", async () => {
  const { page, state, subject } = await openDraft("Rain");
  const held = Promise.withResolvers<void>();
  const posts: string[] = [];
  await page.route(/\/edit$/, async (route) => {
    if (route.request().method() === "POST") posts.push(route.request().url());
    await held.promise;
    await route.continue();
  });
  const save = page.getByRole("button", { name: "Save", exact: true });
  await page.getByLabel("Subject").fill("One");
  await save.click();
  await state.getByText("Saving…").waitFor();
  await page.getByLabel("Subject").fill("Two");
  await save.click();
  await save.click();
  held.resolve();
  await state.getByText("Saved", { exact: true }).waitFor();
  assert.equal(await subject(), "Two");
  assert.equal(posts.length, 2);
});

test("what a browser cannot send at the end is asked about, also if the form was sent and got no reply", async () => {
  const { page, state } = await openDraft("Snow");
  await page.route(/\/(?:edit|new)$/, (route) =>
    route.request().method() === "POST" ? route.abort("blockedbyclient") : route.continue(),
  );
  // 64 KiB of bytes are fewer characters.
  await page.locator("#field-text").fill("я".repeat(35_000));
  await state.getByText("there is no connection").waitFor();
  const leaves = async (link: string) => {
    const asked = page.waitForEvent("dialog");
    await Promise.all([
      asked.then((dialog) => dialog.accept()),
      page.getByRole("link", { name: link }).click(),
    ]);
    await page.waitForURL((url) => !/\/(?:edit|new)$/.test(url.pathname));
  };
  await leaves("Close");
  await page.goto(`${tested.server.origin}/console/1/campaigns/new`);
  await page.getByLabel("Name", { exact: true }).fill("Hail");
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByText("There was no reply.").waitFor();
  await leaves("Cancel");
});
