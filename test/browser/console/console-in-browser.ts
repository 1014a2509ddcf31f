/** One server of the console and one Chromium for the tests of a file. */
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { AccountRole } from "#domain/access/user.ts";
import type { Browser as PlainBrowser } from "../../console/browser.ts";
import { type ConsoleServer, type ConsoleServerOptions, startConsole } from "../../console/console-server.ts";
import { collectComplaints, launchChromium } from "../launch.ts";

interface Options {
  /** Creates the accounts and what is in them. */
  readonly fill: (server: ConsoleServer) => Promise<void>;
  /** In account 1; null: an administrator. */
  readonly role: AccountRole | null;
  /** What a browser complains about of its own accord, such as the status of a refused form. */
  readonly expected?: RegExp;
  readonly console?: ConsoleServerOptions;
}

export interface ConsoleInBrowser {
  readonly server: ConsoleServer;
  /**
   * Opens a path below `/console`, such as `/1/lists`, in a context of its own, which is closed after the
   * test. `as`: somebody else who is signed in.
   */
  open(path: string, options?: BrowserContextOptions & { readonly as?: PlainBrowser }): Promise<Page>;
}

/** Starts both before the first test. After each test, no page may have complained. */
export function consoleInBrowser({
  fill,
  role,
  expected = /status of 422/,
  console,
}: Options): ConsoleInBrowser {
  let server: ConsoleServer | undefined;
  let browser: Browser | undefined;
  let somebody: PlainBrowser | undefined;
  const complaints: string[] = [];
  before(async () => {
    server = await startConsole(console);
    await fill(server);
    somebody = await server.signedIn(role);
    browser = await launchChromium();
  });
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
    assert.deepEqual(complaints.splice(0), []);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    assert.deepEqual(server?.defects, []);
  });
  const tested: ConsoleInBrowser = {
    get server() {
      return server ?? assert.fail("the server is started before the first test");
    },
    open: async (path, { as = somebody, ...options } = {}) => {
      const { origin } = tested.server;
      assert.ok(browser !== undefined && as !== undefined);
      const context = await browser.newContext({ locale: "en-GB", ...options });
      await context.addCookies([...as.cookies].map(([name, value]) => ({ name, value, url: origin })));
      const page = await context.newPage();
      const isExpected = (text: string): boolean => expected.test(text);
      collectComplaints(page, () => new URL(origin).host, complaints, isExpected);
      await page.goto(`${origin}/console${path}`);
      return page;
    },
  };
  return tested;
}

/** Runs the same test with and without JavaScript. */
export const withAndWithout = [
  ["with JavaScript", true],
  ["without JavaScript", false],
] as const;
