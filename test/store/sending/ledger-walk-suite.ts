/**
 * Random walks of two processes through a campaign, in every store: whatever happens in whatever order, the
 * counters equal a recount, nobody is sent to twice, and in the end everybody has an end.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Batch } from "#domain/ports/sending/ledger.ts";
import { NOW } from "../actor.ts";
import {
  addressesOf,
  DEFERRED,
  emails,
  failed,
  type Node,
  type Nodes,
  SENT,
  sentCampaign,
  UNKNOWN,
} from "./sent-campaign.ts";

const WALKS = 3;
const STEPS = 60;
const PEOPLE = 14;
const HOUR = 3_600_000;

/** Numbers that look random, from a seed. */
function randomly(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Process {
  readonly node: Node;
  batches: Batch[];
  /** Messages whose connections are open. */
  inFlight: { readonly batch: Batch; readonly email: string }[];
}

export function ledgerWalkSuite(name: string, { stores }: Nodes): void {
  describe(`random walks through the ledger of ${name}`, () => {
    for (let seed = 1; seed <= WALKS; seed += 1)
      test(`the ledger balances after every step of walk ${seed}, and nobody is sent to twice`, async () => {
        const random = randomly(seed);
        const people = emails(PEOPLE);
        const c = await sentCampaign(stores()[0], people);
        const processes: readonly Process[] = stores().map((store, n) => ({
          node: c.node(`node ${n}`, store),
          ...{ batches: [], inFlight: [] },
        }));
        const handedOver = new Map<string, number>();
        const results = [SENT, SENT, DEFERRED, UNKNOWN, failed(false), failed(true)];
        let now = NOW;

        const take = async ({ node, batches }: Process): Promise<void> => {
          const batch = await node.take(now, 1 + random(5));
          if (batch !== null) batches.push(batch);
        };
        const start = async ({ node, batches, inFlight }: Process): Promise<void> => {
          const batch = batches[random(batches.length)];
          const email = addressesOf(batch ?? null)[random(batch?.recipients.length ?? 1)];
          if (batch === undefined || email === undefined) return;
          const { starts } = await node.start(batch, [email], now);
          if (starts[0] === "started") inFlight.push({ batch, email });
        };
        const report = async ({ node, inFlight }: Process): Promise<void> => {
          const [one] = inFlight.splice(random(inFlight.length), 1);
          if (one === undefined) return;
          const outcome =
            random(6) === 0
              ? ({ state: "queued", isAttempt: false, afterMs: 0 } as const)
              : results[random(6)];
          if (outcome?.state === "sent" || outcome?.state === "unknown")
            handedOver.set(one.email, (handedOver.get(one.email) ?? 0) + 1);
          await node.report(one.batch, { [one.email]: outcome ?? SENT }, now);
        };
        /** Its results never come. */
        const kill = async (process: Process): Promise<void> => {
          for (const { email } of process.inFlight) handedOver.set(email, (handedOver.get(email) ?? 0) + 1);
          [process.batches, process.inFlight] = [[], []];
        };
        const giveBack = async (process: Process): Promise<void> => {
          const batch = process.batches.splice(random(process.batches.length), 1)[0];
          if (batch === undefined || process.inFlight.some((one) => one.batch === batch)) return;
          await process.node.giveBack(batch, now);
        };
        const wait = async (process: Process): Promise<void> => {
          now += random(30_000);
          if (random(2) === 0) await process.node.extend(process.batches, now);
        };
        const leave = async (): Promise<void> => {
          await c.unsubscribe(people[random(PEOPLE)] ?? "", now);
        };
        const toggle = async (): Promise<void> => {
          await c.change("pause", now);
          await c.change("resume", now);
        };
        const steps = [take, take, start, start, start, report, report, report, wait, giveBack, kill, toggle];
        for (let step = 0; step < STEPS; step += 1) {
          const process = processes[random(2)];
          assert.ok(process);
          await (random(40) === 0 ? leave() : steps[random(steps.length)]?.(process));
        }

        for (const process of processes) await kill(process);
        const [last] = processes;
        assert.ok(last);
        for (let round = 0; round < 100 && (await c.mailing()).state === "sending"; round += 1) {
          now += HOUR;
          const batch = await last.node.take(now);
          const { starts } =
            batch === null ? { starts: [] } : await last.node.start(batch, addressesOf(batch), now);
          const begun = addressesOf(batch).filter((_, n) => starts[n] === "started");
          for (const email of begun) handedOver.set(email, (handedOver.get(email) ?? 0) + 1);
          if (batch !== null)
            await last.node.report(batch, Object.fromEntries(begun.map((email) => [email, SENT])), now);
        }
        assert.equal((await c.mailing()).state, "finished");
        assert.deepEqual(
          [...handedOver].filter(([, times]) => times > 1),
          [],
        );
        const ended = new Set(["sent", "failed", "skipped", "unknown"]);
        assert.deepEqual(
          Object.values(await c.states()).filter((state) => !ended.has(state)),
          [],
        );
      });
  });
}
