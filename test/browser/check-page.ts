/** What every page is checked for: axe finds nothing, and the page does not scroll sideways. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

/** The small form: it is sent to every page. */
const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

export type Look = readonly [colorScheme: "light" | "dark", width: number];
/** Each color scheme and each layout once. */
export const looks: readonly Look[] = [
  ["light", 1280],
  ["dark", 360],
];

/** What no rule passes is described in full; describing what passes takes as long as all rules together. */
const RUN = `axe.run(document, { resultTypes: ["violations"], preload: false })
  .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`;

/** No part of the page is outside of the window. */
export async function checkWidth(page: Page, what: string): Promise<void> {
  const wider = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  assert.ok(wider <= 0, `${what} is ${wider} pixels wider than the window`);
}

/** The options of selects that are cut off, although their field could be wide enough. */
const CUT = `[...document.querySelectorAll("select")].filter((one) => one.checkVisibility()).flatMap((select) => {
  const style = getComputedStyle(select);
  const context = document.createElement("canvas").getContext("2d");
  context.font = style.font;
  const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const widest = Math.min(select.parentElement.clientWidth, 22 * parseFloat(getComputedStyle(document.documentElement).fontSize));
  return [...select.options].map(({ label }) => [label, context.measureText(label).width - room])
    .filter(([, missing]) => missing >= 1 && select.offsetWidth + missing <= widest);
})`;

/** As the page is now. `what` is named if something is found. */
export async function checkPage(page: Page, what: string): Promise<void> {
  await checkWidth(page, what);
  assert.deepEqual(await page.evaluate(CUT), [], `${what}: options that are cut off`);
  // Evaluated by the browser's debugger, which the page's policy does not concern.
  if (await page.evaluate<boolean>("globalThis.axe === undefined")) await page.evaluate(AXE);
  assert.deepEqual(await page.evaluate<readonly string[][]>(RUN), [], what);
}

export async function checkLooks(page: Page, what: string, wanted: readonly Look[] = looks): Promise<void> {
  // A window that already has the size of the last look is not changed twice.
  const isLast = page.viewportSize()?.width === wanted.at(-1)?.[1];
  for (const [colorScheme, width] of isLast ? wanted.toReversed() : wanted) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 800 });
    await checkPage(page, `${what}, ${colorScheme}, ${width} px`);
  }
}

/**
 * Two letters of each text, side by side on a line: the second is right of the first. Within a name that
 * turns the direction it is not; such names begin with the mark U+202E here, and end with a W.
 */
const TURNED = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const from = node.data.includes("\\u202e") ? node.data.lastIndexOf("W") + 1 : 0;
    const at = node.data.slice(from).search(/[A-Za-z]{2}/);
    if (at < 0) continue;
    const [left, right] = [0, 1].map((plus) => {
      const range = document.createRange();
      range.setStart(node, from + at + plus);
      range.setEnd(node, from + at + plus + 1);
      return range.getBoundingClientRect();
    });
    if (left.top === right.top && right.left < left.left) found.push(node.data);
  }
  return found;
})()`;

/** A name that turns the direction of the text turns nothing but itself. */
export async function checkDirection(page: Page, what: string): Promise<void> {
  assert.deepEqual(await page.evaluate<readonly string[]>(TURNED), [], `${what}: turned by a name`);
}
