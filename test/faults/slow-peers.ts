/**
 * Thousands of slow, stalled or silent clients beside a few normal callers. Which connections are still open
 * is read from the kernel: a client that does not read never sees that it was closed.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { SqliteStore } from "#store/sqlite/store.ts";
import { recordBounces } from "../bounces.ts";
import { Installation } from "../cli/program.ts";
import { assertMayOpen } from "../may-open.ts";
import { memoryOf } from "../process-memory.ts";
import { number, table } from "../reliability-page.ts";
import { KEY } from "../service.ts";
import { latency } from "./latency.ts";
import { LoadGenerator, type Result } from "./load-generator.ts";

/** More than the kernel buffers for a client that does not read. */
const ROWS = 30_000;
const DRIP_MS = 2000;
const LOOK_MS = 1000;
/** Every timeout has expired by then (src/http/server.ts). */
const GONE_MS = 300_000;
const MAX_MIB = 768;
const CALLERS = 10;
const CALLS_A_SECOND = 50;

interface Kind {
  readonly name: string;
  readonly count: number;
  readonly first: string;
  /** Sent repeatedly while the connection is open. */
  readonly drip?: string;
  readonly isReading?: false;
}

const head = "POST /default.asmx HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n";
const asking = (origin: string, campaign: number): string => {
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Campaign.GetHardBouncesList xmlns="${origin}"><APIKey>${KEY}</APIKey><CampaignID>${campaign}</CampaignID></Campaign.GetHardBouncesList></e:Body></e:Envelope>`;
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
};

const kindsFor = (origin: string, campaign: number): readonly Kind[] => [
  { name: "idle: connected, nothing sent", count: 10_000, first: "" },
  {
    name: "an endless header, one byte every two seconds",
    count: 500,
    first: `${head}X-Slow: `,
    drip: "x",
  },
  {
    name: "an endless body, one byte every two seconds",
    count: 500,
    first: `${head}Content-Length: 100000\r\n\r\n`,
    drip: "x",
  },
  { name: "silent in the middle of a request", count: 500, first: `${head}Content-Length: 100000\r\n\r\n<` },
  {
    name: "requested a long list, read nothing",
    count: 100,
    first: asking(origin, campaign),
    isReading: false,
  },
];

interface Crew {
  readonly kind: Kind;
  readonly sockets: readonly Socket[];
  /** When the first of them connected. */
  readonly since: number;
  /** Seconds after which the first and the last one was disconnected. */
  firstGone: number | null;
  lastGone: number | null;
}

/** `staysUntilGone`: wait until all of them are disconnected, which takes more than a minute. */
export async function slowPeers(staysUntilGone: boolean): Promise<string> {
  assertMayOpen(kindsFor("", 0).reduce((sum, { count }) => sum + count, 0));
  const home = new Installation();
  try {
    await (await home.serve(["--api-key", KEY])).stop();
    const campaign = await fillCampaign(home.database);
    const served = await home.serve();
    const { origin, port } = new URL(served.endpoint);
    const load = new LoadGenerator(origin);
    const crews: Crew[] = [];
    let dripping: NodeJS.Timeout | undefined;
    try {
      await load.rush(CALLERS, CALLS_A_SECOND, 1000);
      const without = await load.rush(CALLERS, CALLS_A_SECOND, 3000);
      const before = memoryOf(served.pid).now;
      for (const kind of kindsFor(origin, campaign)) crews.push(await assemble(kind, Number(port)));
      dripping = setInterval(() => {
        for (const { kind, sockets } of crews)
          if (kind.drip !== undefined)
            for (const socket of sockets) if (socket.writable) socket.write(kind.drip);
      }, DRIP_MS);
      const held = countOn(Number(port), crews);
      assert.deepEqual(
        held,
        crews.map(({ kind }) => kind.count),
        "all of them are there",
      );
      const withThem = await load.rush(CALLERS, CALLS_A_SECOND, 3000);
      const results = [without, withThem];
      if (staysUntilGone) results.push(...(await untilGone(Number(port), crews, load)));
      const { now, most } = memoryOf(served.pid);
      assert.ok(withThem.done.length > 0, "ordinary callers are served");
      assert.equal(results.flatMap(({ throttled }) => throttled).length, 0, "no call is rejected");
      assert.ok(most <= MAX_MIB, `it took ${Math.round(most)} MiB`);
      return page(crews, without, withThem, [before, most, now]);
    } finally {
      clearInterval(dripping);
      for (const { sockets } of crews) for (const socket of sockets) socket.destroy();
      load.close();
    }
  } finally {
    await home.remove();
  }
}

async function fillCampaign(file: string): Promise<number> {
  const store = await SqliteStore.open(file, { days: 90, rows: 1000, bytes: 2 ** 28 });
  try {
    return await recordBounces(
      store,
      Array.from({ length: ROWS }, (_, n) => `bounced${n}@example.org`),
    );
  } finally {
    await store.close();
  }
}

async function assemble(kind: Kind, port: number): Promise<Crew> {
  const since = performance.now();
  const sockets: Socket[] = [];
  while (sockets.length < kind.count) {
    const some = Array.from({ length: Math.min(200, kind.count - sockets.length) }, () =>
      connect(port, "127.0.0.1"),
    );
    await Promise.all(some.map((socket) => once(socket, "connect")));
    for (const socket of some) {
      socket.on("error", () => {});
      if (kind.isReading === false) socket.pause();
      else socket.resume();
      if (kind.first !== "") socket.write(kind.first);
    }
    sockets.push(...some);
  }
  return { kind, sockets, since, firstGone: null, lastGone: null };
}

/** How many connections of each crew the program still has open. */
function countOn(port: number, crews: readonly Crew[]): readonly number[] {
  const ESTABLISHED = "01";
  const peers = new Set<number>();
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"])
    for (const line of readFileSync(file, "utf8").split("\n").slice(1)) {
      const [, local = "", remote = "", state] = line.trim().split(/\s+/);
      if (state === ESTABLISHED && Number.parseInt(local.slice(-4), 16) === port)
        peers.add(Number.parseInt(remote.slice(-4), 16));
    }
  return crews.map(({ sockets }) => sockets.filter(({ localPort }) => peers.has(localPort ?? 0)).length);
}

/** The ordinary callers continue meanwhile. */
async function untilGone(
  port: number,
  crews: readonly Crew[],
  load: LoadGenerator,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const until = performance.now() + GONE_MS; crews.some(({ lastGone }) => lastGone === null); ) {
    assert.ok(
      performance.now() < until,
      `still connected after ${GONE_MS / 1000} s: ${countOn(port, crews).join(", ")}`,
    );
    results.push(await load.rush(CALLERS, CALLS_A_SECOND, LOOK_MS));
    for (const [index, left] of countOn(port, crews).entries()) {
      const crew = crews[index];
      if (crew === undefined || left === crew.kind.count) continue;
      const seconds = (performance.now() - crew.since) / 1000;
      crew.firstGone ??= seconds;
      if (left === 0) crew.lastGone ??= seconds;
    }
  }
  return results;
}

function page(
  crews: readonly Crew[],
  without: Result,
  withThem: Result,
  [before = 0, most = 0, after = 0]: readonly number[],
): string {
  const seconds = (given: number | null): string => (given === null ? "?" : number(given));
  return `Written by \`npm run test:faults\`. All of these peers are connected at the same time. Meanwhile ${CALLERS} callers make ${CALLS_A_SECOND} durable adds per second until the last peer is gone; every add succeeds.

${table(
  ["Peers", "How many", "First and last disconnected, seconds after the first connected"],
  crews.map(({ kind, firstGone, lastGone }) => [
    kind.name,
    number(kind.count),
    `${seconds(firstGone)}, ${seconds(lastGone)}`,
  ]),
)}

${table(
  ["", "without the peers", "with all peers", "after they are gone"],
  [
    ["latency of calls, ms: p50 / p99 / maximum", latency(without.done), latency(withThem.done), "–"],
    ["memory of the service, MiB", number(before), number(most), number(after)],
  ],
)}

The run fails if the service uses more than ${number(MAX_MIB)} MiB, or if a peer is still connected after ${GONE_MS / 1000} s.
`;
}
