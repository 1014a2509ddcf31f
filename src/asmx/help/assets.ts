/**
 * The one stylesheet and the one script of the help pages, inlined so that a page is one response and needs
 * nothing else, and the content security policy that allows exactly these two by hash.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const asset = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");
const source = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

export const stylesheet: string = ["ground", "reference", "samples", "form"]
  .map((part) => asset(`./style/${part}.css`))
  .join("");
export const script: string = asset("./page.js");

export const contentSecurityPolicy: string = [
  "default-src 'none'",
  `style-src ${source(stylesheet)}`,
  `script-src ${source(script)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
