/** A campaign is composed, previewed, tried out, sent to files and watched until it ends. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { finishJobs } from "../../api/v2/finish-jobs.ts";
import { startSending } from "../../delivery/runner/sending.ts";
import { mailTo, senderValues } from "../../sending-campaign.ts";
import { addressOf } from "../../store/actor.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

const EMAILS = ["ada@example.org", "grace@example.org", "staff@example.org"];

const tested = consoleInBrowser({
  role: "owner",
  // The preview loads no image of another host, and opens no window. A form that is not complete is refused.
  expected: /Content Security Policy|Blocked opening|status of 422/,
  fill: async ({ store }) => {
    await store.accounts.create({ name: "Acme", at: 1 });
    for (const name of ["News", "Staff"]) await store.lists.create({ account: 1, name, at: 1 });
    const by = { account: 1, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
    for (const email of EMAILS) await store.subscribers.add({ ...by, list: 1, address: addressOf(email) });
    await store.subscribers.add({ ...by, list: 2, address: addressOf("staff@example.org") });
    await store.senders.create({ ...senderValues, account: 1, createdAt: 1 });
  },
});

for (const [how, javaScriptEnabled] of withAndWithout)
  test(`a campaign is composed, tried out, sent and watched until it ends ${how}`, async () => {
    const { store, outbox } = tested.server;
    const page = await tested.open("/1/campaigns", { javaScriptEnabled });
    const name = `Spring ${how}`;
    const refused: string[] = [];
    page.on("requestfailed", (request) => refused.push(`${request.failure()?.errorText} ${request.url()}`));
    /** What a script shows by itself is seen after a reload without one. */
    const seen = async (text: string | RegExp): Promise<void> => {
      const wanted = page.getByText(text).first();
      if (javaScriptEnabled) return await wanted.waitFor();
      const deadline = performance.now() + 20_000;
      do await page.reload();
      while (!(await wanted.isVisible()) && performance.now() < deadline);
      assert.ok(await wanted.isVisible(), String(text));
    };
    await page.getByRole("link", { name: "New campaign" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.locator("#field-lists").getByLabel("News").check();
    await page.locator("#field-excludedLists").getByLabel("Staff").check();
    await page.getByLabel("Subject").fill("Spring is here");
    assert.equal(await page.locator("#field-html").isVisible(), false);
    await page.getByLabel("Newsletter").check();
    // The editor, or the text area.
    await page
      .getByRole("textbox", { name: /^Markdown/ })
      .fill('# Hello {{ first_name | default: "friend" }}\n\n![](https://elsewhere.example/seen.png)');
    await page.getByRole("button", { name: "Save and preview" }).click();
    const message = page.frameLocator("iframe[src]");
    await message.getByRole("heading", { name: "Hello Ada" }).waitFor();
    assert.ok(refused.includes("csp https://elsewhere.example/seen.png"), refused.join());
    // A link does nothing.
    await message.getByRole("link", { name: "Unsubscribe" }).click();
    await message.getByRole("heading", { name: "Hello Ada" }).waitFor();

    await page.getByRole("link", { name: "Check and send" }).click();
    await page.getByText("It can be sent, but look at the warnings").waitFor();
    const checks = page.url();
    await page.getByRole("link", { name: "Dry run" }).click();
    await page.getByRole("button", { name: "Start the dry run" }).click();
    await page.getByText("The dry run has started.").waitFor();
    await finishJobs(store, Date.now, mailTo(outbox));
    await seen("No problem was found");
    await page.getByText("On an excluded list").waitFor();

    await page.goto(checks);
    const send = page.getByRole("button", { name: /^(?:Send to|Write) / });
    await page.getByLabel("Later").check();
    assert.equal(await send.isVisible(), false);
    await page.getByRole("button", { name: /^Schedule for / }).click();
    // Without a script, the server says it.
    const missing = javaScriptEnabled ? page.locator("#field-at:invalid") : page.locator("#field-at-error");
    await missing.waitFor();
    await page.getByLabel("Now").check();
    await send.click();
    await page.getByText("The campaign starts within a few seconds.").waitFor();
    const relay = `file:${outbox}`;
    const settings = { baseUrl: () => "https://mail.example.org", relay };
    await using sending = startSending(store, relay, { settings });
    await seen(/^Finished on/);
    assert.deepEqual(sending.seen, ["began"]);
    await page.getByRole("link", { name: "Recipients" }).click();
    await page.getByText("2 of 2").waitFor();
    const campaign = Number(/campaigns\/(\d+)/.exec(page.url())?.[1]);
    const files = readdirSync(outbox).filter((file) => file.startsWith(`${campaign}-`));
    assert.equal(files.length, 2);
    for (const file of files)
      assert.match(readFileSync(join(outbox, file), "utf8"), /Subject: Spring is here/);
  });
