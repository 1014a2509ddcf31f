/** What somebody without a mouse needs: everything can be focused, and it is seen where the focus is. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/**
 * Focuses each element in turn, as the Tab key does: after a key was pressed, the browser shows the focus of
 * a script alike. The ring is around the element, or around what stands for it: its label, its row, or the
 * box that it is in.
 */
const UNMARKED = `(() => {
  const ringOf = (element, pseudo) => {
    if (element === null) return "";
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element, pseudo);
    return [outlineStyle, outlineWidth, outlineColor, boxShadow].join(" ");
  };
  const ringsOf = (element) =>
    [
      ringOf(element),
      ringOf(element, "::after"),
      ringOf(element.parentElement),
      ringOf(element.nextElementSibling),
      ...[...(element.labels ?? [])].map((label) => ringOf(label)),
    ].join();
  const selector = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  const found = [];
  for (const element of document.querySelectorAll(selector)) {
    if (element.disabled || !element.checkVisibility({ visibilityProperty: true })) continue;
    document.activeElement?.blur();
    const before = ringsOf(element);
    element.focus({ preventScroll: true });
    const isReached = element.tabIndex >= 0 && document.activeElement === element;
    if (!isReached || ringsOf(element) === before)
      found.push((isReached ? "no ring: " : "not reached: ") + element.outerHTML.slice(0, 200));
  }
  document.activeElement?.blur();
  return found;
})()`;

export async function checkKeyboard(page: Page, what: string): Promise<void> {
  await page.keyboard.press("Tab");
  assert.deepEqual(await page.evaluate<readonly string[]>(UNMARKED), [], what);
}
