/** The editors in which campaigns are written. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { checkLooks } from "../check-page.ts";
import { consoleInBrowser } from "./console-in-browser.ts";

/** After each test, no page may have complained: the content security policy has refused nothing. */
const tested = consoleInBrowser({
  role: "owner",
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Acme", at: 1 });
    await store.lists.create({ account: 1, name: "News", at: 1 });
  },
});

const editorIn = (page: Page, name: "Markdown" | "HTML"): Locator =>
  page.getByRole("textbox", { name, exact: true });
const toolIn = (page: Page, name: string): Locator =>
  page.getByRole("toolbar", { name: /^Markdown/ }).getByRole("button", { name, exact: true });
const dialogIn = (page: Page): Locator => page.getByRole("dialog");
/** What the form would send. */
const textOf = (page: Page, field = "markdown"): Promise<string> =>
  page.locator(`#field-${field}`).inputValue();

async function openEditor(): Promise<Page> {
  const page = await tested.open("/1/campaigns/new");
  await editorIn(page, "Markdown").waitFor();
  return page;
}
/** Replaces what is in the editor. */
async function write(page: Page, text: string): Promise<void> {
  await editorIn(page, "Markdown").click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}
/** As a browser does with what was copied elsewhere. */
const paste = (page: Page, types: Readonly<Record<string, string>>): Promise<unknown> =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    for (const [type, text] of Object.entries(${JSON.stringify(types)})) clipboardData.setData(type, text);
    const { shadowRoot } = document.getElementById("field-markdown-editor");
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    shadowRoot.querySelector("[contenteditable]").dispatchEvent(event);
  })()`);

test("what is typed is in the text area, with events, and can be undone", async () => {
  const page = await openEditor();
  await page.evaluate(`globalThis.inputs = 0;
    document.querySelector("form.composer").addEventListener("input", ({ target }) => {
      if (target.id === "field-markdown") inputs += 1;
    })`);
  const editor = editorIn(page, "Markdown");
  assert.equal(await editor.getAttribute("spellcheck"), "true");
  await editor.click();
  await page.keyboard.type("- one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  assert.equal(await textOf(page), "- one\n- two");
  assert.ok((await page.evaluate<number>("inputs")) >= 8);
  for (let presses = 0; (await textOf(page)) !== "" && presses < 9; presses += 1)
    await page.keyboard.press("Control+Z");
  assert.equal(await textOf(page), "");
  await page.keyboard.press("Control+Shift+Z");
  assert.match(await textOf(page), /^- /);
});

const tools: readonly (readonly [name: string, shortcut: string, before: string, after: string])[] = [
  ["Bold", "Control+B", "one", "**one**"],
  ["Italic", "Control+I", "one", "*one*"],
  ["Heading", "Control+Alt+1", "one", "# one"],
  ["List", "Control+Shift+8", "one", "- one"],
  ["Numbered list", "Control+Shift+7", "one", "1. one"],
  ["Quote", "Control+Shift+9", "one", "> one"],
];
test("each button of the toolbar and its shortcut do the same, and go on in the text", async () => {
  const page = await openEditor();
  for (const [name, shortcut, before, after] of tools) {
    await write(page, before);
    await toolIn(page, name).click();
    assert.equal(await textOf(page), after, name);
    await page.keyboard.type("!");
    assert.equal((await textOf(page)).length, after.length + 1, `${name}: the text has the focus`);
    await write(page, before);
    await page.keyboard.press(shortcut);
    assert.equal(await textOf(page), after, shortcut);
    assert.match((await toolIn(page, name).getAttribute("title")) ?? "", /\(Ctrl\+/);
    assert.equal(await toolIn(page, name).getAttribute("aria-keyshortcuts"), shortcut, name);
  }
  await write(page, "one");
  await page.keyboard.press("Control+Alt+3");
  assert.equal(await textOf(page), "### one");
  await write(page, "one");
  await page.keyboard.press("Control+Shift+Enter");
  await page.keyboard.type("two");
  assert.equal(await textOf(page), "one\n\n---\n\ntwo");
  await write(page, "one");
  await toolIn(page, "Divider").click();
  assert.equal(await textOf(page), "one\n\n---\n\n");
});

test("a link, a button and a picture are asked for, and only with an address that a message may have", async () => {
  const page = await openEditor();
  const ask = async (open: () => Promise<void>, values: Readonly<Record<string, string>>): Promise<void> => {
    await open();
    await checkLooks(page, "the dialog", [["light", 1280]]);
    for (const [label, value] of Object.entries(values)) await dialogIn(page).getByLabel(label).fill(value);
    await page.keyboard.press("Enter");
    await dialogIn(page).waitFor({ state: "detached" });
  };
  await write(page, "Read our shop");
  await page.keyboard.press("Control+Shift+ArrowLeft");
  await ask(() => page.keyboard.press("Control+K"), { Address: "shop.example.org/a b" });
  assert.equal(await textOf(page), "Read our [shop](https://shop.example.org/a%20b)");
  // The one at the cursor is changed.
  await page.keyboard.press("ArrowLeft");
  await ask(() => toolIn(page, "Link").click(), { Text: "store", Address: "mailto:ada@example.org" });
  assert.equal(await textOf(page), "Read our [store](mailto:ada@example.org)");

  await write(page, "one");
  const ofButton = { Text: "See them", Address: "https://a.example/{{ fields.Town }}" };
  await ask(() => page.keyboard.press("Control+Shift+K"), ofButton);
  await page.keyboard.type("two");
  assert.equal(await textOf(page), "one\n\n[See them](https://a.example/{{ fields.Town }})\n\ntwo");
  await write(page, "");
  await ask(() => toolIn(page, "Button").click(), ofButton);
  assert.equal(await textOf(page), "[See them](https://a.example/{{ fields.Town }})\n\n");

  await write(page, "");
  const ofPicture = { Address: "https://a.example/pot.png", "Alternative text": "A [pot]" };
  await ask(() => toolIn(page, "Picture").click(), ofPicture);
  assert.equal(await textOf(page), "![A \\[pot\\]](https://a.example/pot.png)\n\n");
  await write(page, "");
  await page.keyboard.press("Control+Alt+P");
  await dialogIn(page).getByLabel("Address").fill("javascript:alert(1)");
  await page.keyboard.press("Enter");
  assert.equal(await dialogIn(page).locator("input:invalid").count(), 1);
  await page.keyboard.press("Escape");
  await dialogIn(page).waitFor({ state: "detached" });
  assert.equal(await textOf(page), "");
  await page.keyboard.type("goes on");
  assert.equal(await textOf(page), "goes on");
});

const clipboard = (file: string): string =>
  readFileSync(new URL(`clipboard/${file}`, import.meta.url), "utf8");
for (const [what, file] of [
  ["Word", "word"],
  ["Google Docs", "google-docs"],
  ["a web page", "web-page"],
  ["a hostile page, of which nothing is executed, loaded or kept,", "hostile"],
] as const)
  test(`what was copied in ${what} is pasted as Markdown`, async () => {
    const page = await openEditor();
    const title = await page.title();
    await write(page, "Before.");
    await paste(page, { "text/html": clipboard(`${file}.clipboard`), "text/plain": "plain" });
    assert.equal(await textOf(page), `Before.\n\n${clipboard(`${file}.markdown`).trimEnd()}`);
    assert.equal(await page.title(), title);
    await page.keyboard.press("Control+Z");
    assert.equal(await textOf(page), "Before.");
  });

test("what has no markup of its own is pasted as it is", async () => {
  const page = await openEditor();
  const pasted = async (before: string, types: Readonly<Record<string, string>>): Promise<string> => {
    await write(page, before);
    if (before !== "") await page.keyboard.press("Control+Shift+ArrowLeft");
    await paste(page, types);
    return await textOf(page);
  };
  assert.equal(await pasted("", { "text/plain": "# one\n*two*" }), "# one\n*two*");
  const source = { "text/plain": "# one", "vscode-editor-data": "{}" };
  assert.equal(await pasted("", { ...source, "text/html": "<div># one</div>" }), "# one");
  const long = `<p>${"<b>a</b>".repeat(250_000)}</p>`;
  assert.equal(await pasted("", { "text/html": long, "text/plain": "too long" }), "too long");
  assert.equal(
    await pasted("", { "text/html": "<b>one</b> word", "text/plain": "one word" }),
    "**one** word",
  );
  const url = "https://shop.example.org/";
  const copied = { "text/html": `<a href="${url}">${url}</a>`, "text/plain": url };
  assert.equal(await pasted("our shop", copied), `our [shop](${url})`);
});

test("a merge field of the menu is inserted at the cursor, in each field that takes them", async () => {
  const page = await openEditor();
  await write(page, "Dear ,");
  await page.keyboard.press("ArrowLeft");
  await toolIn(page, "Merge field").click();
  await checkLooks(page, "the menu", [["light", 1280]]);
  const menu = page.getByRole("menu", { name: "Merge fields" });
  assert.ok((await menu.getByRole("group", { name: "Of the subscriber" }).getByRole("menuitem").count()) > 3);
  await menu.getByRole("menuitem", { name: "{{ first_name }}" }).click();
  assert.equal(await textOf(page), "Dear {{ first_name }},");
  await page.keyboard.type("!");
  assert.equal(await textOf(page), "Dear {{ first_name }}!,");

  await page.getByLabel("Subject").fill("For you");
  await page.keyboard.press("Home");
  // With the keyboard: the button is before its field.
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await menu.waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.type("la");
  await page.keyboard.press("Enter");
  await menu.waitFor({ state: "detached" });
  await page.keyboard.type(": ");
  assert.equal(await textOf(page, "subject"), "{{ last_name }}: For you");
  // How much one press takes back depends on how fast it was typed.
  for (let presses = 0; presses < 4 && (await textOf(page, "subject")) !== "For you"; presses += 1)
    await page.keyboard.press("Control+Z");
  assert.equal(await textOf(page, "subject"), "For you");

  await page.getByRole("button", { name: "Merge field for Preheader" }).click();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  assert.equal(await textOf(page, "preheader"), "");
  const button = page.getByRole("button", { name: "Merge field for Plain text" });
  await button.click();
  await menu.waitFor();
  // A second press closes the menu.
  await button.click();
  await menu.waitFor({ state: "detached" });
});

test("HTML has colours and merge fields, and its text is sent", async () => {
  const page = await openEditor();
  await page.getByLabel("Name", { exact: true }).fill("Own document");
  await page.getByLabel("Your own document").check();
  await editorIn(page, "HTML").click();
  await page.keyboard.insertText('<p class="a">Hello </p>');
  for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press("ArrowLeft");
  await page.getByRole("toolbar", { name: /^HTML/ }).getByRole("button", { name: "Merge field" }).click();
  await page.getByRole("menuitem", { name: "{{ email }}" }).click();
  const text = '<p class="a">Hello {{ email }}</p>';
  assert.equal(await textOf(page, "html"), text);
  const colors = await page.evaluate<readonly string[]>(`[...document.getElementById("field-html-editor")
    .shadowRoot.querySelectorAll(".cm-line span")].map((span) => getComputedStyle(span).color)`);
  assert.ok(new Set(colors).size >= 4, colors.join());
  await page.getByRole("button", { name: "Save and preview" }).click();
  await page.getByText("The draft is saved.").waitFor();
  await page.getByRole("link", { name: "Edit" }).click();
  await editorIn(page, "HTML").waitFor();
  assert.equal(await editorIn(page, "HTML").innerText(), text);
});

test("survives an answer that shows the page again, with its text, its history and its place", async () => {
  const page = await openEditor();
  await write(page, "one");
  await page.keyboard.press("Control+B");
  await page.evaluate("document.querySelector('#field-name').required = false");
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByText("Nothing was saved.").waitFor();
  assert.equal(await page.locator("#field-markdown").isVisible(), false);
  assert.equal(await editorIn(page, "Markdown").count(), 1);
  assert.equal(await page.getByRole("button", { name: "Merge field for Subject" }).count(), 1);
  await editorIn(page, "Markdown").focus();
  await page.keyboard.press("Control+Z");
  assert.equal(await textOf(page), "one");
  await page.getByLabel("Name", { exact: true }).fill("Survivor");
  await page.getByRole("button", { name: "Save and preview" }).click();
  await page.getByText("The draft is saved.").waitFor();
  // Pages that were shown in place have none, and then one with another text.
  assert.equal(await page.getByRole("toolbar").count(), 0);
  await page.getByRole("link", { name: "Edit" }).click();
  await editorIn(page, "Markdown").waitFor();
  assert.equal(await editorIn(page, "Markdown").innerText(), "one");
});

test("the keyboard leads to the toolbar, the text and further; the label and an error lead to the text", async () => {
  const page = await openEditor();
  const focused = (): Promise<string> =>
    page.evaluate<string>(`(() => {
      const { shadowRoot, id } = document.activeElement;
      const inner = shadowRoot?.activeElement;
      return inner?.getAttribute("aria-label") ?? inner?.className ?? id;
    })()`);
  await page.getByRole("radio", { name: /^Plain Text/ }).focus();
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Bold");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "Link");
  await page.keyboard.press("End");
  assert.equal(await focused(), "merge");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  assert.equal(await focused(), "merge");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "Bold");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Markdown");
  await page.keyboard.type("a/b?");
  await page.keyboard.press("Tab");
  assert.equal(await textOf(page), "a/b?", "keys of the page are text, and the Tab key leaves the editor");
  assert.notEqual(await focused(), "Markdown");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "merge", "the toolbar remembers where it was left");

  await page.locator("label[for=field-markdown]").click();
  assert.equal(await focused(), "Markdown");
  const editor = editorIn(page, "Markdown");
  const described = (await editor.getAttribute("aria-describedby")) ?? "";
  assert.match(
    (await page.locator(`#field-markdown-editor #${described}`).textContent()) ?? "",
    /^Such as #/,
  );
  await page.evaluate(`document.querySelector("#field-markdown").setAttribute("aria-invalid", "true");
    document.dispatchEvent(new CustomEvent("console:update"))`);
  assert.equal(await editor.getAttribute("aria-invalid"), "true");
  await checkLooks(page, "the editor");
});

test("without its module, the text area is as it was", async () => {
  const page = await tested.open("/1/campaigns/new", { javaScriptEnabled: false });
  await page.locator("#field-markdown").fill("one");
  assert.equal(await page.getByRole("toolbar").count(), 0);
  assert.equal(await page.locator(".editor").first().isVisible(), false);
});
