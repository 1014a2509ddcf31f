/** The chart for the README: three groups of bars, readable on light and dark pages. */
import type { FigureId } from "../figures.ts";
import type { Results } from "../results.ts";
import { median } from "../statistics.ts";
import { type SubjectId, subjects } from "../subjects.ts";
import { amount } from "./numbers.ts";

interface Panel {
  readonly figure: FigureId;
  readonly title: string;
  readonly unit: string;
}

const panels: readonly Panel[] = [
  { figure: "probe", title: "TestApiConnection: requests per second (longer is better)", unit: "" },
  { figure: "add", title: "Durable Subscriber.Add: requests per second (longer is better)", unit: "" },
  { figure: "longList", title: "A list of 1,000,000 rows: seconds (shorter is better)", unit: " s" },
];

const WIDTH = 760;
const BAR = 18;
const GAP = 8;
const LABELS = 240;
const NUMBERS = 80;
const TITLE = 34;
const MARGIN = 16;

const CAPTION = "The middle of three rounds; the load generator ran on the same machine.";

const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #24292f; }
    .note { font-size: 11px; }
    .title { font-weight: 600; }
    .ours { fill: #0b7a5c; }
    .peer { fill: #8c959f; }
    .floor { fill: none; stroke: #8c959f; stroke-dasharray: 3 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .ours { fill: #2fb98d; }
      .peer { fill: #6e7681; }
      .floor { stroke: #8b949e; }
    }`;

const floors: ReadonlySet<SubjectId> = new Set(["bare", "bareWsdl", "sqliteAdds", "postgresAdds"]);
const classOf = (subject: SubjectId): string =>
  subject.startsWith("mailroll") ? "ours" : floors.has(subject) ? "floor" : "peer";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Ours first, then the others. Loops without a server would dwarf all servers. */
function barsOf(results: Results, figure: FigureId): readonly (readonly [SubjectId, number])[] {
  const isOurs = (subject: SubjectId): number => (subject.startsWith("mailroll") ? 0 : 1);
  return results
    .subjectsOf(figure)
    .filter((subject) => subject !== "sqliteAdds" && subject !== "postgresAdds")
    .toSorted((one, other) => isOurs(one) - isOurs(other))
    .map((subject) => [subject, median(results.samples(figure, subject).map(({ value }) => value))]);
}

export function inSvg(results: Results): string {
  const parts: string[] = [];
  let y = MARGIN;
  for (const { figure, title, unit } of panels) {
    const bars = barsOf(results, figure);
    if (bars.length === 0) continue;
    parts.push(`<text class="title" x="${MARGIN}" y="${y + 14}">${escaped(title)}</text>`);
    y += TITLE;
    const longest = Math.max(...bars.map(([, value]) => value));
    for (const [subject, value] of bars) {
      const width = Math.max(1, ((WIDTH - LABELS - NUMBERS - MARGIN) * value) / longest);
      parts.push(
        `<text x="${LABELS - 8}" y="${y + 14}" text-anchor="end">${escaped(subjects[subject].label)}</text>`,
        `<rect class="${classOf(subject)}" x="${LABELS}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2" />`,
        `<text x="${(LABELS + width + 8).toFixed(1)}" y="${y + 14}">${amount(value)}${unit}</text>`,
      );
      y += BAR + GAP;
    }
    y += MARGIN;
  }
  if (parts.length > 0) {
    parts.push(`<text class="note" x="${MARGIN}" y="${y}">${CAPTION}</text>`);
    y += MARGIN;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-label="Mailroll and its peers: requests per second, and seconds for a long list">
  <style>${STYLE}
  </style>
  ${parts.join("\n  ")}
</svg>
`;
}
