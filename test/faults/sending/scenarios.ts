/** The faults of sending, and their section of docs/reference/reliability.md. */
import { SMTP_CONNECTIONS } from "#domain/sending/relay.ts";
import type { PostgresServer } from "../../postgres-server.ts";
import { number } from "../../reliability-page.ts";
import { fillDiskWhileSending } from "./disks.ts";
import { killNodeWhileSending, killWhileSending } from "./kills.ts";
import { failingRelay } from "./relays.ts";
import type { SendingFigures } from "./site.ts";
import { stopNodeWhileSending } from "./stops.ts";

export type SendingScenario = (postgres: PostgresServer, seed: number) => Promise<SendingFigures>;

/** `isShort`: a few rounds, to be run side by side. Most of the time they wait for leases. */
export const sendingScenarios = (isShort: boolean): Readonly<Record<string, SendingScenario>> => {
  const kills = isShort ? 2 : 30;
  const others = isShort ? 1 : 5;
  return {
    "`kill -9` on SQLite": (_, seed) => killWhileSending(null, kills, seed),
    "`kill -9` on PostgreSQL": async (postgres, seed) =>
      killWhileSending(await postgres.emptyDatabase(), kills, seed),
    "`kill -9` of one of two nodes": async (postgres, seed) =>
      killNodeWhileSending(await postgres.emptyDatabase(), others, seed),
    "a node stopped for longer than its lease": async (postgres) =>
      stopNodeWhileSending(await postgres.emptyDatabase(), isShort ? 1 : 2),
    "a relay that cannot be reached, says 421 and drops connections": (_, seed) => failingRelay(others, seed),
    "the disk is full": () => fillDiskWhileSending(others),
  };
};

export function sendingSection(results: ReadonlyMap<string, SendingFigures>): string {
  const rows = [...results].map(
    ([fault, { rounds, sent, unknown, skipped }]) =>
      `| ${fault} | ${number(rounds)} | ${number(sent)} | ${number(unknown)} | ${number(skipped)} |`,
  );
  return `Written by \`npm run test:faults\`. It injects faults while the real program sends campaigns to a relay that counts what each recipient gets.

**Nobody got a campaign twice, and nobody who had opted out got one.**

| Fault | Times | Sent | Unknown | Opted out in time |
|---|---|---|---|---|
${rows.join("\n")}

*Unknown* are recipients whose message was being handed over when the process or the connection was lost. After a \`kill -9\` there are never more of them than the process had connections (${SMTP_CONNECTIONS}).

After every round the test compares the ledger with what the relay has received: each recipient that is *sent* got the campaign exactly once, each one that is neither *sent* nor *unknown* got nothing, and the numbers add up to what was selected.
`;
}
