/** The web font: Inter, variable, Latin; from its package, under the SIL Open Font License. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const FILE = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";

export const fontFile: Buffer = readFileSync(createRequire(import.meta.url).resolve(FILE));
export const hashOf = (body: Buffer): string => createHash("sha256").update(body).digest("hex").slice(0, 16);
export const FONT_NAME = `inter.${hashOf(fontFile)}.woff2`;

/** Text is shown in another font until this one is there. */
export const fontFace = (href: string): string =>
  `@font-face{font-family:"Inter Variable";src:url(${href}) format("woff2");font-weight:100 900;font-display:swap}\n`;
