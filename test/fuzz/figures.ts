/** Counts requests and responses by kind, and writes their section of docs/reference/reliability.md. */
import { number, table } from "../reliability-page.ts";
import type { Answer } from "./answers.ts";
import type { HillClimb } from "./hill-climb.ts";
import { type Cost, costTable } from "./shapes.ts";

export class Tally {
  readonly #counts = new Map<string, number>();

  add(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
  /** The most frequent first. */
  entries(): readonly (readonly [kind: string, count: number])[] {
    return [...this.#counts].toSorted(([, one], [, other]) => other - one);
  }
}

export function kindOf({ status, body }: Answer): string {
  const text = body.toString("latin1");
  const [code] = /(?<=<code>)\w+(?=<\/code>)|(?<="code":")\w+(?=")/.exec(text) ?? [];
  if (code !== undefined) return `\`${code}\``;
  return status === 200 && text.includes("Envelope") ? "a result" : `HTTP ${status}`;
}

export interface Figures {
  readonly seed: number;
  readonly requests: number;
  /** How many of them were sent a second time, one by one. */
  readonly again: number;
  readonly sent: Tally;
  readonly answered: Tally;
  /** The longest event loop delay: with concurrent requests, and with one at a time. */
  readonly longestTurnMs: { readonly together: number; readonly alone: number };
  readonly memoryMiB: { readonly quarter: number; readonly end: number };
  readonly costs: readonly Cost[];
  readonly climb: HillClimb;
}

export function fuzzSection(figures: Figures): string {
  const { seed, requests, again, sent, answered, longestTurnMs, memoryMiB, costs, climb } = figures;
  const rows = (tally: Tally) => tally.entries().map(([kind, count]) => [kind, number(count)]);
  return `Written by \`npm run test:fuzz\`: ${number(requests)} requests, 32 at a time, from seed ${seed}, and ${number(again)} of them again, one by one.

- Every complete request gets a response: a SOAP message of the right version, a page or an HTTP error. No response is \`InternalError\`.
- No request hangs, nothing is logged as an error, and afterwards a valid call succeeds.
- Memory is ${number(memoryMiB.quarter)} MiB after a quarter of the requests and ${number(memoryMiB.end)} MiB at the end.
- The longest iteration of the event loop took ${number(longestTurnMs.together)} ms of processor time, with up to 32 requests in it. With one request at a time it took ${number(longestTurnMs.alone)} ms.

${table(["Sent", "Requests"], rows(sent))}

${table(["Received", "Responses"], rows(answered))}

The processor time that large messages cost, the most expensive shapes first:

${costTable(costs)}

${hillClimbText(climb)}
`;
}

/** For the page and for the terminal. */
export const hillClimbText = ({ tried, worst, plain }: HillClimb): string =>
  `The run then searches, by hill climbing, for the message that takes the most processor time per byte to read. It tried ${number(tried)} messages with long or numerous names, prefixes, namespaces, attributes, values, references, CDATA sections, levels, headers and records.

- The most expensive one takes ${number(worst.msPerMib)} ms per MiB. The plainest message, which consists of many small elements, takes ${number(plain.msPerMib)} ms.
- Twice its size costs ${number(worst.growth, 1)} times as much. The run fails if that factor is above three, or if the message costs more than three times as much per MiB as the plainest one.
- It differs from the plainest message in: \`${worst.shape}\``;
