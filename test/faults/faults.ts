/**
 * Fault injection: injects faults into the real program and checks that nothing acknowledged is lost;
 * overloads it and measures throughput and latency. Run by `npm run test:faults`, with `-- --short` in four
 * minutes; a full run writes its sections of docs/reference/reliability.md.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PostgresServer } from "../postgres-server.ts";
import { type Heading, writeSection } from "../reliability-page.ts";
import { skipUnless } from "../skip-unless.ts";
import { damageFile } from "./damage.ts";
import { fillDisk, fillPostgresDisk, turnDiskReadOnly } from "./disks.ts";
import { type Figures, faultsSection } from "./figures.ts";
import "./flood.ts";
import { killAgainAndAgain } from "./kills.ts";
import { crashPostgres, cutConnections } from "./outages.ts";
import { overload } from "./overload.ts";
import { rivalNodes } from "./rivals.ts";
import { sendingScenarios, sendingSection } from "./sending/scenarios.ts";
import type { SendingFigures } from "./sending/site.ts";
import { slowPeers } from "./slow-peers.ts";
import { whyNoDisk } from "./small-disk.ts";
import { killNodes } from "./two-nodes.ts";

const isShort = process.argv.includes("--short");
const seed = Number(process.env.FAULTS_SEED ?? 1);
const times = isShort
  ? {
      killsOnSqlite: 8,
      killsOnPostgres: 4,
      crashes: 3,
      cutsMs: 3000,
      disks: 2,
      nodesMs: 8000,
      overloadMs: 5000,
    }
  : {
      killsOnSqlite: 100,
      killsOnPostgres: 30,
      crashes: 15,
      cutsMs: 30_000,
      disks: 6,
      nodesMs: 60_000,
      overloadMs: 60_000,
    };

/** Fewer acknowledged calls would prove nothing. */
const ENOUGH = isShort ? 100 : 300;

let postgres: PostgresServer;
before(async () => {
  postgres = await PostgresServer.start({ isDurable: true });
});
after(() => postgres.stop());

const scenarios: Readonly<Record<string, (seed: number) => Promise<Figures>>> = {
  "`kill -9` on SQLite": (seed) => killAgainAndAgain(null, times.killsOnSqlite, seed),
  "`kill -9` on PostgreSQL": async (seed) =>
    killAgainAndAgain(await postgres.emptyDatabase(), times.killsOnPostgres, seed),
  "`kill -9` of one of two nodes": async (seed) =>
    killNodes(await postgres.emptyDatabase(), times.nodesMs, seed),
  "`kill -9` of one of two nodes with the same subscribers": async (seed) =>
    rivalNodes(await postgres.emptyDatabase(), times.nodesMs, seed),
  "PostgreSQL's connections cut": (seed) => cutConnections(postgres, times.cutsMs, seed),
  "PostgreSQL crashes": (seed) => crashPostgres(postgres, times.crashes, seed),
  "the disk is full": (seed) => fillDisk(times.disks, seed),
  "PostgreSQL's disk is full": (seed) => fillPostgresDisk(times.disks, seed),
  "the disk turns read-only": (seed) => turnDiskReadOnly(times.disks, seed),
  "the database file is damaged": (seed) => damageFile(seed),
};

const noDisk = whyNoDisk();
const results = new Map<string, Figures>();
for (const [name, attack] of Object.entries(scenarios))
  test(name, {
    skip: name.includes("disk") && skipUnless(noDisk === false, String(noDisk)),
  }, async (context) => {
    try {
      const figures = await attack(seed);
      assert.ok(figures.acknowledged >= ENOUGH, `only ${figures.acknowledged} calls could have been lost`);
      results.set(name, figures);
      context.diagnostic(
        `${name}: ${figures.rounds} times, ${figures.acknowledged} calls acknowledged, ${figures.unanswered} not; none lost`,
      );
    } catch (error) {
      throw new Error(`with FAULTS_SEED=${seed}`, { cause: error });
    }
  });

after(() => {
  const isWhole = results.size === Object.keys(scenarios).length;
  if (!isShort && isWhole) writeSection("Faults", faultsSection(results));
});

const sent = new Map<string, SendingFigures>();
const sending = sendingScenarios(isShort);
// In a short run they run side by side: most of the time they wait for leases to expire.
describe("sending campaigns", { concurrency: isShort }, () => {
  for (const [name, attack] of Object.entries(sending))
    test(name, {
      skip: name.includes("disk") && skipUnless(noDisk === false, String(noDisk)),
    }, async (context) => {
      const figures = await attack(postgres, seed);
      sent.set(name, figures);
      context.diagnostic(
        `${name}: ${figures.rounds} times, ${figures.sent} sent, ${figures.unknown} unknown; nobody twice`,
      );
    });
});
after(() => {
  if (!isShort && sent.size === Object.keys(sending).length) writeSection("Sending", sendingSection(sent));
});

/** Scenarios that interrupt nothing: overload and slow peers. */
const loadScenarios: Readonly<Partial<Record<Heading, () => Promise<string>>>> = {
  Overload: () => overload(times.overloadMs),
  "Slow peers": () => slowPeers(!isShort),
};
for (const [heading, run] of Object.entries(loadScenarios))
  test(heading, async (context) => {
    const text = await run();
    context.diagnostic(text);
    if (!isShort) writeSection(heading as Heading, text);
  });
