/** Saves the results of a full run where the documentation links to them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { inJson } from "./json.ts";
import { inMarkdown } from "./markdown.ts";
import type { Report } from "./report.ts";
import { inSvg } from "./svg.ts";

const folder = join(import.meta.dirname, "../results");

/** The names of the files. */
export function saveReport(report: Report): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const files = {
    "latest.json": inJson(report),
    "latest.md": inMarkdown(report),
    "latest.svg": inSvg(report.results),
  };
  return Object.entries(files).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return relative(process.cwd(), path);
  });
}
