/**
 * Takes a picture of each page of the console, for the README and the guide:
 * `npm run screenshots [-- FOLDER]`. Tests change no tracked file, so this is a program of its own.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchChromium } from "../browser/launch.ts";
import { startConsole } from "../console/console-server.ts";
import { fillDemo } from "./demo.ts";

const NOW = Date.UTC(2026, 10, 14, 9, 30);
const folder = process.argv[2] ?? join(import.meta.dirname, "../../docs/images");

const phone = { width: 360, height: 740 };
const desktop = { width: 1280, height: 800 };
/** By the name of the file; the path is below the account. */
const pictures: readonly { readonly name: string; readonly path: string; readonly isPhone?: true }[] = [
  { name: "overview", path: "" },
  { name: "lists", path: "/lists" },
  { name: "list", path: "/lists/1" },
  { name: "subscribers", path: "/subscribers" },
  { name: "subscriber", path: "/subscribers/48" },
  { name: "import", path: "/imports" },
  { name: "fields", path: "/fields" },
  { name: "campaigns", path: "/campaigns" },
  { name: "campaign", path: "/campaigns/4" },
  { name: "refused-calls", path: "/refused-calls" },
  { name: "integrations", path: "/integrations" },
  { name: "integration", path: "/integrations/1" },
  { name: "settings", path: "/settings" },
  { name: "overview-phone", path: "", isPhone: true },
  { name: "subscriber-phone", path: "/subscribers/48", isPhone: true },
];

async function take(page: Page, url: string, name: string): Promise<void> {
  const reply = await page.goto(url);
  if (reply?.status() !== 200) throw new Error(`${url} has the status ${reply?.status() ?? "none"}`);
  await page.evaluate("document.fonts.ready");
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

mkdirSync(folder, { recursive: true });
const server = await startConsole();
const browser = await launchChromium();
try {
  server.now = NOW;
  await fillDemo(server.store, NOW);
  const { cookies } = await server.signedIn("owner");
  const value = cookies.get("mailroll-session") ?? "";
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ locale: "en-GB", colorScheme, deviceScaleFactor: 1.5 });
    await context.addCookies([{ name: "mailroll-session", value, url: server.origin }]);
    const page = await context.newPage();
    for (const { name, path, isPhone } of pictures) {
      await page.setViewportSize(isPhone === true ? phone : desktop);
      await take(page, `${server.origin}/console/1${path}`, colorScheme === "dark" ? `${name}-dark` : name);
    }
    await context.close();
  }
  if (server.defects.length > 0) throw new AggregateError(server.defects, "pages failed");
} finally {
  await browser.close();
  await server.close();
}
