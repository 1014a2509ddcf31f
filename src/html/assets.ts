/**
 * The stylesheet and the script of a page that is one response: both are inlined, with a content security
 * policy that allows exactly these two by hash. Only the font is a file; without it, the page has another
 * font. The pages of the console link all their files; see `served-assets.ts`.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { packageFile, shippedFile } from "#shipped.ts";
import { type Html, html, trusted } from "./html.ts";

/** The web font: Inter, variable, Latin; from its package, under the SIL Open Font License. */
const FILE = packageFile("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2");

export const fontFile: Buffer = readFileSync(FILE);
export const hashOf = (body: Buffer): string => createHash("sha256").update(body).digest("hex").slice(0, 16);
export const FONT_NAME = `inter.${hashOf(fontFile)}.woff2`;

/** Text is shown in another font until this one is there. */
export const fontFace = (href: string): string =>
  `@font-face{font-family:"Inter Variable";src:url(${href}) format("woff2");font-weight:100 900;font-display:swap}\n`;

/** What a page needs of files. */
export interface PageAssets {
  /** Inserted into the head. */
  readonly head: Html;
  /** Inserted at the end of the body. */
  readonly end: Html;
  readonly contentSecurityPolicy: string;
}

/** Where the files are served, below the base address. */
export const ASSETS_PATH = "/console/assets";

const textOf = (file: URL): string => readFileSync(file, "utf8");

/** Sent without comments and indentation. */
const compactScript = (file: URL): string =>
  textOf(file).replaceAll(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*|\s+)/gm, "");
export const compactStyle = (file: URL): string =>
  textOf(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")
    .replaceAll(";}", "}");
const own = (file: string): URL => shippedFile(`html/${file}`);
/** The same as `icon.svg`, without a request. */
const icon = `data:image/svg+xml,${encodeURIComponent(textOf(own("icon.svg")).trim())}`;
const source = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const inHead = (stylesheet: string): Html => html`<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}">
<style>${trusted(stylesheet)}</style>`;

/** Dark where the system says so. */
const tokens = [
  compactStyle(own("style/tokens.css")),
  `@media (prefers-color-scheme: dark){${compactStyle(own("style/dark.css"))}}`,
].join("");

const shared = ["base", "frame", "buttons", "code", "reference", "samples"];

/** Of a page for the public: one response, without scripts, fonts and the frame of other pages. */
export function scriptlessAssets(styles: readonly URL[]): PageAssets {
  const files = [...["base", "buttons"].map((part) => own(`style/${part}.css`)), ...styles];
  const stylesheet = tokens + files.map(compactStyle).join("");
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${source(stylesheet)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { head: inHead(stylesheet), end: html``, contentSecurityPolicy };
}

/**
 * The assets of every inlined page, followed by those of some pages. `root` leads from the page to the base
 * address, such as `../`: so it works behind any path prefix.
 */
export function inlineAssets(
  root: string,
  styles: readonly URL[] = [],
  scripts: readonly URL[] = [],
): PageAssets {
  const files = [...shared.map((part) => own(`style/${part}.css`)), ...styles];
  const stylesheet = [
    fontFace(`${root}${ASSETS_PATH.slice(1)}/${FONT_NAME}`),
    tokens,
    ...files.map(compactStyle),
  ].join("");
  const script = [own("copy.js"), ...scripts].map(compactScript).join("");
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${source(stylesheet)}`,
    `script-src ${source(script)}`,
    "font-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    head: inHead(stylesheet),
    end: html`<script type="module">${trusted(script)}</script>`,
    contentSecurityPolicy,
  };
}
