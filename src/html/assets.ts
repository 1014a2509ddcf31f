/**
 * The stylesheet and the script of a page. They are inlined, so that a page is one response and needs nothing
 * else, with a content security policy that allows exactly these two by hash.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Assets {
  readonly stylesheet: string;
  readonly script: string;
  readonly contentSecurityPolicy: string;
}

const textOf = (file: URL): string => readFileSync(file, "utf8");
const own = (file: string): URL => new URL(file, import.meta.url);
const source = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Those that every page has, followed by those of some pages. */
export function assets(styles: readonly URL[] = [], scripts: readonly URL[] = []): Assets {
  const shared = ["ground", "reference", "samples"].map((part) => own(`./style/${part}.css`));
  const stylesheet = [...shared, ...styles].map(textOf).join("");
  const script = [own("./copy.js"), ...scripts].map(textOf).join("");
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${source(stylesheet)}`,
    `script-src ${source(script)}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { stylesheet, script, contentSecurityPolicy };
}
