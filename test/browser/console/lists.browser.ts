/** Lists, custom fields and jobs in a browser, with and without JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { finishJobs } from "../../api/v2/finish-jobs.ts";
import { fillWorld, HOSTILE, type World } from "../../console/subscribers-world.ts";
import { consoleInBrowser, withAndWithout } from "./console-in-browser.ts";

let world: World;
const tested = consoleInBrowser({
  role: null,
  expected: /status of (422|409)/,
  fill: async (server) => {
    const { user } = await server.signedIn(null);
    world = await fillWorld(server.store, server.now, user.id);
  },
});

/** Starts a job that adds everybody of the newsletter to another list; returns the path of its page. */
async function startJob(): Promise<string> {
  const editor = await tested.server.signedIn("editor");
  const change = { kind: "add", changeList: String(world.events) };
  const path = `/console/1/subscribers/change?list=${world.newsletter}`;
  const { headers } = await editor.post(path, "change", change);
  return (headers.get("location") ?? "").replace(/^.*\/console/, "");
}

for (const [how, javaScriptEnabled] of withAndWithout) {
  test(`a list is created, filled, renamed, emptied and deleted ${how}`, async () => {
    const page = await tested.open("/1/lists", { javaScriptEnabled });
    await page.getByRole("link", { name: "New list" }).click();
    await page.getByLabel(/^ID\b/).fill("first");
    await page.getByLabel("Name").fill(`${HOSTILE} ${how}`);
    await page.getByRole("button", { name: "Create the list" }).click();
    await page.getByText("Must be a whole number.").first().waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), `${HOSTILE} ${how}`);
    await page.getByLabel(/^ID\b/).fill("");
    await page.getByRole("button", { name: "Create the list" }).click();
    await page.getByText("was created.").waitFor();
    await page.getByRole("link", { name: "Add a subscriber" }).first().click();
    await page.getByLabel("E-mail address").fill("ada@example.org");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("ada@example.org is on").waitFor();
    await page.getByText("More", { exact: true }).click();
    await page.getByRole("link", { name: "Rename" }).click();
    await page.getByLabel("Name").fill(`Winter ${how}`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(`The list is now called “Winter ${how}”.`).waitFor();
    await page.getByLabel("Actions for ada@example.org").click();
    await page.getByRole("link", { name: "Remove from the list" }).click();
    await page.getByRole("button", { name: "Remove from the list" }).click();
    await page.getByText("Nobody is on this list yet").waitFor();
    await page.getByText("More", { exact: true }).click();
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByText("It has no members").waitFor();
    await page.getByRole("button", { name: "Delete the list" }).click();
    await page.getByText(`The list “Winter ${how}” was deleted.`).waitFor();
  });

  test(`a field is created, renamed and deleted ${how}`, async () => {
    const page = await tested.open("/1/fields", { javaScriptEnabled });
    await page.getByRole("link", { name: "New field" }).click();
    await page.getByLabel("Name").fill(HOSTILE);
    await page.getByLabel("Type").selectOption("Date");
    await page.getByRole("button", { name: "Create the field" }).click();
    await page.getByText(`The field “${HOSTILE}” was created.`).waitFor();
    await page.getByLabel(`Actions for ${HOSTILE}`).click();
    await page.getByRole("link", { name: "Rename" }).locator("visible=true").click();
    await page.getByLabel("Name").fill("Shoe size");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The field is now called “Shoe size”.").waitFor();
    await page.getByLabel("Actions for Shoe size").click();
    await page.getByRole("link", { name: "Delete" }).locator("visible=true").click();
    await page.getByText("Nobody has a value").waitFor();
    await page.getByRole("button", { name: "Delete the field" }).click();
    await page.getByText("The field “Shoe size” was deleted.").waitFor();
  });

  test(`a job is cancelled ${how}`, async () => {
    const page = await tested.open(await startJob(), { javaScriptEnabled });
    await page.getByRole("button", { name: "Cancel this job" }).click();
    await page.getByText("The job is cancelled.").waitFor();
  });
}

test("the page of a job follows it until it ends", async () => {
  const page = await tested.open(await startJob());
  await page.getByText("Waiting", { exact: true }).first().waitFor();
  await finishJobs(tested.server.store);
  await page.getByText("Finished", { exact: true }).first().waitFor();
});

test("of two operators who rename a list at once, the second keeps what was typed and decides", async () => {
  const other = await tested.server.signedIn("editor");
  const path = `/1/lists/${world.events}/rename`;
  const [first, second] = [await tested.open(path), await tested.open(path, { as: other })];
  await first.getByLabel("Name").fill("Events in Hamburg");
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("The list is now called “Events in Hamburg”.").waitFor();
  await second.getByLabel("Name").fill("Events in Bremen");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("Somebody else has changed this").waitFor();
  assert.equal(await second.getByLabel("Name").inputValue(), "Events in Bremen");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("The list is now called “Events in Bremen”.").waitFor();
});
