/**
 * docs/reference/reliability.md, which several runs write: each the sections that are its own, as it found
 * them, and nothing of the others'.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wrapMarkdown } from "./markdown.ts";

/** In the order of the page. */
const headings = ["Faults", "Sending", "Overload", "Slow peers", "Fuzzing"] as const;
export type Heading = (typeof headings)[number];

const TOP = `# Reliability

Results of fault injection, overload tests and fuzzing against the running program. The test runs write this page; each section names its run.
`;

/** The page with another text under this heading. */
export function withSection(page: string, heading: Heading, text: string): string {
  const sections = new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const end = section.indexOf("\n");
        return [section.slice(0, end), section.slice(end).trim()] as const;
      }),
  ).set(heading, text.trim());
  const parts = headings
    .filter((one) => sections.has(one))
    .map((one) => `## ${one}\n\n${sections.get(one)}\n`);
  return wrapMarkdown([TOP, ...parts].join("\n"));
}

export function writeSection(heading: Heading, text: string): void {
  const path = fileURLToPath(new URL("../docs/reference/reliability.md", import.meta.url));
  writeFileSync(path, withSection(existsSync(path) ? readFileSync(path, "utf8") : "", heading, text));
}

export const number = (value: number, digits = 0): string =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
