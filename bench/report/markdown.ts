/** The report as a page, `bench/results/latest.md`. */
import { wrapMarkdown } from "../../test/markdown.ts";
import { figures } from "../figures.ts";
import { kindOf, type Report, summaryOf } from "./report.ts";
import { judgedHead, judgedRow, measuredTable } from "./rows.ts";

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

export function inMarkdown({
  startedAt,
  minutes,
  options,
  absent,
  machine,
  results,
  judged,
}: Report): string {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const measured = results.figures.flatMap((figure) => {
    const { head, rows } = measuredTable(results, figure);
    return [`## ${figures[figure].title}`, table(head, rows)];
  });
  return wrapMarkdown(
    `${[
      "# Benchmark results",
      `A ${kindOf(options)} on ${startedAt.toISOString().slice(0, 10)}, ${minutes.toFixed(1)} minutes, three rounds. ${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.system}; ${versions.join(", ")}. The load generator ran on the same machine. What the figures mean: [bench/README.md](../README.md).`,
      ...absent.map(({ label, missing }) => `Left out: ${label}; not installed: ${missing.join(", ")}.`),
      "## Targets",
      table(judgedHead, judged.map(judgedRow)),
      summaryOf(judged),
      ...measured,
    ].join("\n\n")}\n`,
  );
}
