/**
 * A disk that becomes full or read-only under load: callers get Unavailable, and nothing acknowledged is
 * lost.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { Served } from "../cli/program.ts";
import { PostgresServer } from "../postgres-server.ts";
import { KEY } from "../service.ts";
import type { Run } from "./callers.ts";
import type { Figures } from "./figures.ts";
import { SmallDisk } from "./small-disk.ts";
import { originOf, SystemUnderTest } from "./system-under-test.ts";

const CONNECTIONS = 16;
/** A write that needs no new space still succeeds, so it takes a while until all calls fail. */
const ALL_FAIL_MS = 60_000;
const ENOUGH_FAILURES = 100;

async function on(use: (disk: SmallDisk, site: SystemUnderTest) => Promise<Figures>): Promise<Figures> {
  const disk = SmallDisk.make();
  try {
    const site = await SystemUnderTest.make(`sqlite:${join(disk.path, "m.db")}`, CONNECTIONS);
    try {
      return await use(disk, site);
    } finally {
      await site.remove();
    }
  } finally {
    disk.remove();
  }
}

/** Waits until no write succeeds any more. */
async function allWritesFail(calls: Run): Promise<void> {
  const before = calls.tally.unanswered;
  const since = performance.now();
  while (calls.tally.unanswered - before < ENOUGH_FAILURES && performance.now() - since < ALL_FAIL_MS)
    await delay(20);
  assert.ok(calls.tally.unanswered - before >= ENOUGH_FAILURES, "callers get Unavailable");
}
async function assertReadable(served: Served): Promise<void> {
  const lists = await served.call("Client.GetSubscribersLists", { APIKey: KEY });
  assert.equal([...lists.matchAll(/<SubscribersListID>/g)].length, 2, lists);
}

export function fillDisk(rounds: number, seed: number): Promise<Figures> {
  return on(async (disk, site) => {
    let served = await site.serve();
    for (let round = 0; round < rounds; round += 1) {
      const calls = site.callers.start(seed + round, [originOf(served)]);
      await delay(200);
      disk.fill();
      await allWritesFail(calls);
      await assertReadable(served);
      if (round % 2 === 1) {
        await served.kill();
        await calls.stop();
        // The service starts on a full disk too, so that data can be read.
        served = await site.serve();
        await assertReadable(served);
      } else await calls.stop();
      disk.free();
      await site.serves(seed + 1000 + round, [originOf(served)]);
      await site.verify();
    }
    const more = "every second time the program was also killed while the disk was full";
    return { rounds, more, ...site.callers.tally };
  });
}

export function turnDiskReadOnly(rounds: number, seed: number): Promise<Figures> {
  return on(async (disk, site) => {
    for (let round = 0; round < rounds; round += 1) {
      const served = await site.serve();
      const before = site.callers.start(seed + round, [originOf(served)]);
      await delay(300);
      // No calls at this moment: the kernel sometimes reports a flush as done although the data is not on
      // disk (seen with 6.18, one in thirteen, with a program that only writes and flushes).
      await before.stop();
      disk.turnReadOnly();
      const calls = site.callers.start(seed + 500 + round, [originOf(served)]);
      await allWritesFail(calls);
      await assertReadable(served);
      await calls.stop();
      const ready = await (await fetch(`${originOf(served)}/readyz`)).text();
      assert.match(ready, /"name":"writes","status":"failed"/, "readiness reports failed writes");
      await served.stop();
      const refused = await site.run("serve", "--port", "0");
      assert.equal(refused.code, 1, "a start is refused");
      assert.match(refused.err, /^mailroll: the database .* cannot be opened: .*read-?only.*\n$/);
      disk.repair();
      const again = await site.serve();
      await site.serves(seed + 1000 + round, [originOf(again)]);
      await again.stop();
      await site.verify();
    }
    const more =
      "the file system turned read-only (`errors=remount-ro`) while no call was in progress. During a call, some kernels report a flush that they did not make, and no program can detect that";
    return { rounds, more, ...site.callers.tally };
  });
}

/** Connects while there is space: a new session cannot even log in on a full disk. */
async function loggingTo(server: PostgresServer): Promise<Client> {
  const client = new Client({ connectionString: server.urlOf("postgres") });
  client.on("error", () => {});
  await client.connect();
  return client;
}
/** Fills PostgreSQL's WAL until it needs space. The server then aborts everything in progress. */
async function exhaustLog(client: Client): Promise<void> {
  const until = performance.now() + ALL_FAIL_MS;
  const write = "SELECT pg_logical_emit_message(false, 'ballast', repeat('x', 100000))";
  try {
    while (performance.now() < until) await client.query(write);
  } catch {
    return;
  }
  throw new Error("PostgreSQL's log did not run out of room");
}

/** Enough for an empty PostgreSQL and some data. */
const POSTGRES_MIB = 128;

/**
 * Without space for tables, PostgreSQL refuses what needs space. Without space for its WAL it shuts down; if
 * it cannot recover then, it stays down until it is started again. For callers both look the same, and
 * Mailroll is not restarted.
 */
export async function fillPostgresDisk(rounds: number, seed: number): Promise<Figures> {
  const disk = SmallDisk.make(POSTGRES_MIB);
  try {
    const server = await PostgresServer.start({ isDurable: true, smallDisk: disk.path });
    try {
      const site = await SystemUnderTest.make(await server.emptyDatabase(), CONNECTIONS);
      try {
        const origins = [originOf(await site.serve())];
        let gaveUp = 0;
        for (let round = 0; round < rounds; round += 1) {
          const logging = round % 2 === 1 ? await loggingTo(server) : null;
          const calls = site.callers.start(seed + round, origins);
          await delay(300);
          disk.fill();
          try {
            await allWritesFail(calls);
            if (logging !== null) await exhaustLog(logging);
          } finally {
            await calls.stop();
            await logging?.end().catch(() => {});
            disk.free();
          }
          if (!server.isRunning) {
            gaveUp += 1;
            await server.resume();
          }
          await site.serves(seed + 1000 + round, origins);
          await site.verify();
        }
        const more = `the disk has no space for tables. Every second time it has none for the write-ahead log either; PostgreSQL then aborts everything and recovers. The test had to restart PostgreSQL ${gaveUp} times`;
        return { rounds, more, ...site.callers.tally };
      } finally {
        await site.remove();
      }
    } finally {
      await server.stop();
    }
  } finally {
    disk.remove();
  }
}
