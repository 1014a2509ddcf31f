/** What every page is checked for: axe finds nothing, and the page does not scroll sideways. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

export type Look = readonly [colorScheme: "light" | "dark", width: number];
/** Each color scheme and each layout once. */
export const looks: readonly Look[] = [
  ["light", 1280],
  ["dark", 360],
];

/** As the page is now. `what` is named if something is found. */
export async function checkPage(page: Page, what: string): Promise<void> {
  const wider = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  assert.ok(wider <= 0, `${what} is ${wider} pixels wider than the window`);
  // Evaluated by the browser's debugger, which the page's policy does not concern.
  if (await page.evaluate<boolean>("globalThis.axe === undefined")) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document)");
  const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
  assert.deepEqual(found, [], what);
}

export async function checkLooks(page: Page, what: string, wanted: readonly Look[] = looks): Promise<void> {
  for (const [colorScheme, width] of wanted) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    await checkPage(page, `${what}, ${colorScheme}, ${width} px`);
  }
}
