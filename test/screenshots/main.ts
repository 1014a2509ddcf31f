/**
 * Takes a picture of each page of the console, for the README and the guide:
 * `npm run screenshots [-- FOLDER [--all]]`; `--all`: each also in the dark and on a phone, to look at. Tests
 * change no tracked file, so this is a program of its own.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { hashSecret, newSecret, SESSION_MS } from "#domain/access/session.ts";
import { finishJobs } from "../api/v2/finish-jobs.ts";
import { launchChromium } from "../browser/launch.ts";
import { type ConsoleServer, startConsole } from "../console/console-server.ts";
import { mailTo } from "../sending-campaign.ts";
import { startUnsubscribeService } from "../unsubscribe/unsubscribe-service.ts";
import { addUsers, customersFile, fillDemo, SOFIA } from "./demo.ts";
import { fillSending, type SentFromHere } from "./demo-sending.ts";

const NOW = Date.UTC(2026, 10, 14, 9, 30);
const folder = process.argv[2] ?? join(import.meta.dirname, "../../docs/images");

/** Whether the pictures are to look at, not for the documentation. */
const all = process.argv.includes("--all");
/** Pictures that the documentation shows on a phone and in the dark, too. */
const also: readonly string[] = ["overview", "subscriber", "unsubscribe", "unsubscribed"];
const phone = { width: 360, height: 740 };
const desktop = { width: 1280, height: 800 };

/** What leads to the page of a picture. */
type Open = (page: Page, account: string) => Promise<unknown>;
const at =
  (path: string): Open =>
  async (page, account) => {
    const reply = await page.goto(`${account}${path}`);
    if (reply?.status() !== 200) throw new Error(`${path} has the status ${reply?.status() ?? "none"}`);
  };

const person: Open = async (page, account) => {
  await page.goto(account);
  await page.getByRole("searchbox").fill(SOFIA);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: SOFIA }).waitFor();
};
const columns: Open = async (page, account) => {
  await page.goto(`${account}/imports`);
  await page.locator("input[type=file]").setInputFiles(customersFile);
  await page.getByRole("heading", { name: "Columns" }).waitFor();
  for (const [heading, field] of [
    ["Ciudad", "Town"],
    ["Café favorito", "Favourite roast"],
  ] as const)
    await page.getByLabel(`Import the column "${heading}" as`).selectOption({ label: field });
  await page.getByLabel("List", { exact: true }).selectOption({ label: "Customers" });
};
/** Goes on where the picture of the columns was taken. */
const dryRun: Open = async (page) => {
  await page.getByRole("button", { name: "Start the dry run" }).click();
  await page.getByRole("heading", { name: "Dry run" }).waitFor();
  await finishJobs(server.store, () => server.now);
  await page.getByRole("heading", { name: "Result of the dry run" }).waitFor();
};
const imported: Open = async (page) => {
  await page.getByRole("button", { name: "Import now" }).click();
  await page.getByRole("link", { name: "Stop the import" }).waitFor();
  server.now += 2000;
  await finishJobs(server.store, () => server.now);
  await page.getByText("They are on the list now.").waitFor();
};
const newKey: Open = async (page, account) => {
  await page.goto(`${account}/integrations/new`);
  await page.getByLabel("What is it for?").fill("Loyalty app");
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByText("Copy it now").waitFor();
  await page.getByText("Python", { exact: true }).click();
};

const ofCampaign =
  (which: keyof SentFromHere, path = ""): Open =>
  (page, account) =>
    at(`/campaigns/${sentFromHere[which]}${path}`)(page, account);
const preview: Open = async (page, account) => {
  await ofCampaign("draft", "/preview")(page, account);
  await page.frameLocator("iframe").getByRole("heading").first().waitFor();
};
const campaignDryRun: Open = async (page, account) => {
  await ofCampaign("draft", "/dry-run")(page, account);
  await page.getByRole("button", { name: "Start the dry run" }).click();
  await page.getByText("The dry run has started.").waitFor();
  await finishJobs(server.store, () => server.now, mailTo(server.outbox));
  await ofCampaign("draft", "/dry-run")(page, account);
};

/** In this order; the last ones change what others show. */
const pictures: Readonly<Record<string, Open>> = {
  overview: at(""),
  lists: at("/lists"),
  list: at("/lists/1"),
  subscribers: at("/subscribers"),
  subscriber: person,
  fields: at("/fields"),
  campaigns: at("/campaigns"),
  campaign: at("/campaigns/4"),
  "campaign-compose": ofCampaign("draft", "/edit"),
  "campaign-preview": preview,
  "campaign-checks": ofCampaign("draft", "/send"),
  "campaign-dry-run": campaignDryRun,
  "campaign-sending": ofCampaign("sending"),
  "campaign-recipients": ofCampaign("finished", "/recipients"),
  "refused-calls": at("/refused-calls"),
  "refused-call": at("/refused-calls/1"),
  integrations: at("/integrations"),
  integration: at("/integrations/1"),
  settings: at("/settings"),
  "settings-blocks": at("/settings/blocks"),
  "settings-users": at("/settings/users"),
  "settings-senders": at("/settings/senders"),
  "settings-sender": at("/settings/senders/1"),
  import: columns,
  "import-dry-run": dryRun,
  "import-result": imported,
  imports: at("/imports"),
  "integration-new": newKey,
  "settings-audit-log": at("/settings/audit-log"),
};

async function signIn({ store, origin }: ConsoleServer, browser: Browser): Promise<Page> {
  const secret = newSecret();
  const session = { hash: hashSecret(secret), client: "192.0.2.7", program: "Firefox on Linux" };
  const user = await addUsers(store, NOW);
  await store.sessions.create({ ...session, user, at: NOW, expiresAt: NOW + SESSION_MS });
  const page = await newPage(browser);
  await page.context().addCookies([{ name: "mailroll-session", value: secret, url: origin }]);
  return page;
}
async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ locale: "en-GB", deviceScaleFactor: 1.5, viewport: desktop });
  return await context.newPage();
}

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate("document.fonts.ready");
  for (const [viewport, size] of [
    [desktop, ""],
    [phone, "-phone"],
  ] as const) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"] as const) {
      const isShown = viewport === desktop ? colorScheme === "light" : also.includes(name);
      if (!all && !isShown) continue;
      await page.emulateMedia({ colorScheme });
      const path = join(folder, `${name}${size}${colorScheme === "dark" ? "-dark" : ""}.png`);
      await page.screenshot({ path, animations: "disabled" });
    }
  }
  await page.setViewportSize(desktop);
}

/** The pages behind the link of a message, which need no log-in. */
async function takeLeaving(browser: Browser): Promise<void> {
  const { service, join: joinLists, store, account } = await startUnsubscribeService();
  try {
    await store.accounts.set({ id: account, settings: { name: "Northwind Coffee" } });
    const page = await newPage(browser);
    await page.goto(`${service.origin}/u/${await joinLists(SOFIA)}`);
    await take(page, "unsubscribe");
    await page.getByRole("button", { name: "Unsubscribe", exact: true }).click();
    await take(page, "unsubscribed");
  } finally {
    await service.close();
  }
}

mkdirSync(folder, { recursive: true });
const server = await startConsole();
let sentFromHere: SentFromHere;
const browser = await launchChromium();
try {
  server.now = NOW;
  await fillDemo(server.store, NOW);
  sentFromHere = await fillSending(server.store, NOW);
  const page = await signIn(server, browser);
  for (const [name, open] of Object.entries(pictures)) {
    await open(page, `${server.origin}/console/1`);
    await page.mouse.move(0, 0);
    await take(page, name);
  }
  const guest = await newPage(browser);
  await guest.goto(`${server.origin}/console`);
  await take(guest, "sign-in");
  await takeLeaving(browser);
  if (server.defects.length > 0) throw new AggregateError(server.defects, "pages failed");
} finally {
  await browser.close();
  await server.close();
}
