/** The results of the fault runs, and their section of docs/reference/reliability.md. */
import { number } from "../reliability-page.ts";
import type { Tally } from "./callers.ts";

export interface Figures extends Readonly<Tally> {
  readonly rounds: number;
  /** Details of the run for the page. */
  readonly more: string;
}

export function faultsSection(results: ReadonlyMap<string, Figures>): string {
  const rows = [...results].map(
    ([fault, { rounds, acknowledged, unanswered, more }]) =>
      `| ${fault} | ${number(rounds)} | ${number(acknowledged)} | ${number(unanswered)} | ${more} |`,
  );
  const total = [...results.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  return `Written by \`npm run test:faults\`. It starts the real program and injects faults while many connections add, remove and unsubscribe at full speed.

**None of ${number(total)} acknowledged calls was lost.** None took effect twice, out of order or in part.

| Fault | Times | Calls acknowledged | Calls not answered, or answered with Unavailable | Details |
|---|---|---|---|---|
${rows.join("\n")}

After every round the test reads the database with its own SQL and compares it with the responses that the callers got:

- Every answered call took effect exactly once, in the order in which the caller made it. An unanswered call took effect completely or not at all.
- Memberships, opt-outs, names and history of each subscriber are consistent: no call took effect in part.
- Refused calls are stored, each with the right count.
- Stored counts (members of lists, active subscribers, refused calls) match a recount, and \`mailroll doctor\` reports no problem.
- The program resumes service by itself once the fault is gone. Only after a \`kill -9\` and after a read-only disk does the test start it again.

The calls and the moments of the faults come from fixed seeds. A failed run prints its seed.

**Limits of these tests.** The tests kill processes; they do not cut the power. After a power cut, the data is complete only if the disk has written what it reported as written. Each commit waits for that report (\`synchronous=FULL\` on SQLite, \`synchronous_commit=on\` on PostgreSQL). Damage at the end of a SQLite journal is not detected: damage to its last transaction, and a journal that was cut off, look like a call that was never finished.
`;
}
