/**
 * The starter layouts around Markdown: files with the CSS in a style element, which is inlined with the
 * content. Each shows the unsubscribe link and the postal address. The language of the content is unknown, so
 * only the words of a layout itself have one; the direction of writing is that of the first letter.
 */

import { readFileSync } from "node:fs";
import { shippedFile } from "#shipped.ts";

export const layoutNames = ["plain", "newsletter", "announcement"] as const;
export type LayoutName = (typeof layoutNames)[number];
export const isLayoutName = (name: string): name is LayoutName =>
  (layoutNames as readonly string[]).includes(name);

/** What is before and after the content. */
export interface Layout {
  readonly start: string;
  readonly end: string;
}
const SLOT = "<!-- content -->";

function read(name: LayoutName): Layout {
  const [start, end, ...more] = readFileSync(shippedFile(`delivery/layouts/${name}.liquid`), "utf8").split(
    SLOT,
  );
  if (start === undefined || end === undefined || more.length > 0)
    throw new Error(`The layout ${name}.liquid must contain ${SLOT} once.`);
  return { start, end };
}
export const layouts: Readonly<Record<LayoutName, Layout>> = {
  plain: read("plain"),
  newsletter: read("newsletter"),
  announcement: read("announcement"),
};
