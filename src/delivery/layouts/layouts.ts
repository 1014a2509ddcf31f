/** The starter layouts around Markdown. */
export const layoutNames = ["plain", "newsletter", "announcement"] as const;
export type LayoutName = (typeof layoutNames)[number];
