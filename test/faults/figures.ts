/** What came of the faults, and the section of docs/reference/reliability.md that says so. */
import { number } from "../reliability-page.ts";
import type { Tally } from "./callers.ts";

export interface Figures extends Readonly<Tally> {
  readonly rounds: number;
  /** What else should be known of how it was done. */
  readonly more: string;
}

export function faultsSection(results: ReadonlyMap<string, Figures>): string {
  const rows = [...results].map(
    ([fault, { rounds, acknowledged, unanswered, more }]) =>
      `| ${fault} | ${number(rounds)} | ${number(acknowledged)} | ${number(unanswered)} | ${more} |`,
  );
  const total = [...results.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  return `Written by \`npm run test:faults\`, which starts the real program and attacks it while many connections add, remove and unsubscribe at full
speed. Of ${number(total)} acknowledged calls **none was lost**, none came into effect twice or in another order, and none was in effect by half.

| Fault | Times | Calls acknowledged | Calls not answered, or answered with Unavailable | How |
|---|---|---|---|---|
${rows.join("\n")}

After every round the database is read past the program, by SQL of the test's own, and compared with what the callers know:

- Every call that was answered is in effect, exactly once and in the order in which the caller made it; a call that was not answered is in effect or it is not.
- Memberships, opt-outs, names and history of each person agree with each other: no call is half in effect.
- Refused calls are kept, each as often as it was refused.
- The numbers that are kept (members of lists, active subscribers, refused calls) are those that a recount gives, and \`mailroll doctor\` is content.
- Where the program was not killed itself, it serves again by itself once the fault is gone.

The moments and calls come from fixed seeds, which a failure prints. A power cut is more than a \`kill -9\`: what the disk says is written must be
written. Each commit waits for that (\`synchronous=FULL\` on SQLite, \`synchronous_commit=on\` on PostgreSQL). Of a damaged SQLite journal the end is not noticed: damage to its last transaction, and a
journal that was cut off, look like a call that was never finished.
`;
}
