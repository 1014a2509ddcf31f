/** The report for a terminal. */
import { figures } from "../figures.ts";
import { type Report, summaryOf } from "./report.ts";
import { judgedHead, judgedRow, measuredTable } from "./rows.ts";
import { table } from "./table.ts";

export function inPlainText({ results, judged, minutes }: Report): string {
  const measured = results.figures.map((figure) => {
    const { head, rows } = measuredTable(results, figure);
    return `${figures[figure].title}\n${table(head, rows)}`;
  });
  return [
    ...measured,
    table(judgedHead, judged.map(judgedRow)),
    `${summaryOf(judged)} It took ${minutes.toFixed(1)} minutes.`,
  ].join("\n\n");
}
