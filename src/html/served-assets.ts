/**
 * The files that the console's pages link: each under a name with a hash of its content, so that a browser
 * may keep it for ever. Text is compressed once, when it is first asked for. Which routes serve them is not
 * known here.
 */

import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { browserModule, packageFile, shippedFile } from "#shipped.ts";
import {
  ASSETS_PATH,
  compactStyle,
  FONT_NAME,
  fontFace,
  fontFile,
  hashOf,
  type PageAssets,
} from "./assets.ts";
import { html } from "./html.ts";

export interface ServedAsset {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** For browsers that take gzip; null: it is compressed already. */
  readonly gzipped: (() => Promise<Pick<ServedAsset, "body" | "headers">>) | null;
}

const types = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  woff2: "font/woff2",
  svg: "image/svg+xml",
} as const;
type Extension = keyof typeof types;

const own = (file: string): Buffer => readFileSync(shippedFile(`html/${file}`));
const ownStyle = (part: string): string => compactStyle(shippedFile(`html/style/${part}.css`));

const served = new Map<string, ServedAsset>();
const compress = promisify(gzip);

function serve(name: string, extension: Extension, body: Buffer): string {
  const isText = extension !== "woff2";
  const withHeaders = (bytes: Buffer, more: Readonly<Record<string, string>>) => ({
    body: bytes,
    headers: {
      "Content-Type": types[extension],
      "Content-Length": String(bytes.length),
      "Cache-Control": "public, max-age=31536000, immutable",
      "X-Content-Type-Options": "nosniff",
      ...(isText ? { Vary: "Accept-Encoding" } : null),
      ...more,
    },
  });
  let compressed: Promise<Buffer> | undefined;
  served.set(name, {
    ...withHeaders(body, {}),
    gzipped: isText
      ? async () => {
          compressed ??= compress(body, { level: 9 });
          return withHeaders(await compressed, { "Content-Encoding": "gzip" });
        }
      : null,
  });
  return name;
}
const serveHashed = (stem: string, extension: Extension, body: Buffer): string =>
  serve(`${stem}.${hashOf(body)}.${extension}`, extension, body);

const styles = [
  ...["tokens", "base", "frame", "bar", "buttons", "menus"],
  ...["forms", "tables", "parts", "feedback", "code", "charts", "campaigns", "composer"],
];

const font = serve(FONT_NAME, "woff2", fontFile);
const style = serveHashed("console", "css", Buffer.from([fontFace(font), ...styles.map(ownStyle)].join("")));
const dark = serveHashed("dark", "css", Buffer.from(ownStyle("dark")));
const morph = serveHashed("idiomorph", "js", readFileSync(packageFile("idiomorph/dist/idiomorph.min.js")));
const scripts = ["copy", "live", "conditions", "recipients", "composer", "autosave", "console"].map((part) =>
  own(`${part}.js`),
);
const script = serveHashed("console", "js", Buffer.concat(scripts));
const icon = serveHashed("icon", "svg", own("icon.svg"));

let editor: Promise<string | null> | null = null;
/**
 * The name of the editor's module. It has half a megabyte, and is read with the first page that needs it.
 * null: it cannot be made, and people write in text areas. It is not tried again: anybody may ask for a file.
 */
export function editorModule(): Promise<string | null> {
  editor ??= browserModule("html/editor/editor.ts").then(
    (body) => serveHashed("editor", "js", body),
    (error: unknown) => {
      process.emitWarning(`the editor of campaigns could not be made: ${(error as Error).message}`);
      return null;
    },
  );
  return editor;
}

/** The file of a name such as `console.0123456789abcdef.css`; null if there is none. */
export const findAsset = (name: string): ServedAsset | null => served.get(name) ?? null;
export const assetNames = (): readonly string[] => [...served.keys()];

/** How a browser shows the console; "auto": as its system says. */
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];
const schemes: Readonly<Record<Theme, string>> = { auto: "light dark", light: "light", dark: "dark" };
/** When the dark colours apply; `console.js` sets the same. */
const darkMedia: Readonly<Record<Theme, string>> = {
  auto: "(prefers-color-scheme: dark)",
  light: "not all",
  dark: "all",
};

/**
 * What a page of the console links; `prefix` is the path of the service's base address. `scripts` are the
 * names of further modules that this page alone has.
 */
export function linkedAssets(
  prefix: string,
  scripts: readonly string[] = [],
  theme: Theme = "auto",
): PageAssets {
  const href = (name: string): string => `${prefix}${ASSETS_PATH}/${name}`;
  return {
    head: html`<meta name="color-scheme" content="${schemes[theme]}">
<link rel="icon" href="${href(icon)}" type="image/svg+xml">
<link rel="preload" href="${href(font)}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${href(style)}">
<link rel="stylesheet" href="${href(dark)}" media="${darkMedia[theme]}" data-dark>
<script src="${href(morph)}" defer></script>
${[script, ...scripts].map((name) => html`<script src="${href(name)}" type="module"></script>`)}`,
    end: html``,
    contentSecurityPolicy: CONSOLE_POLICY,
  };
}

/** A module of one page, such as the upload of an import; returns the name for `linkedAssets`. */
export const serveScript = (stem: string, file: URL): string => serveHashed(stem, "js", readFileSync(file));

/** Of the console's pages. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");
