/** A headless Chromium, and what its pages complain about. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

export function launchChromium(): Promise<Browser> {
  const executablePath = ["/usr/bin", ...(process.env.PATH ?? "").split(delimiter)]
    .map((directory) => join(directory, "chromium"))
    .find((file) => existsSync(file));
  assert.ok(executablePath !== undefined, "no Chromium; test/browser/setup.sh installs one");
  return chromium.launch({
    executablePath,
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
}

/**
 * Console errors, refusals by the content security policy, requests to another host than `host`: a page has
 * none of them. A status that `isExpected` names is reported by the browser of its own accord.
 */
export function collectComplaints(
  page: Page,
  host: () => string,
  complaints: string[],
  isExpected: (text: string) => boolean = () => false,
): void {
  page.on("console", (message) => {
    const text = message.text();
    if (["error", "warning"].includes(message.type()) && !isExpected(text)) complaints.push(text);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.host !== host()) complaints.push(request.url());
  });
  // What the policy of a page has refused was not sent.
  page.on("requestfailed", (request) => {
    const at = request.failure()?.errorText === "csp" ? complaints.lastIndexOf(request.url()) : -1;
    if (at >= 0) complaints.splice(at, 1);
  });
}
