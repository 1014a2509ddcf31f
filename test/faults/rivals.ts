/**
 * Two nodes over one PostgreSQL whose callers all want the same few subscribers: new addresses are added on
 * both at once, opt-outs race adds, a limit of subscribers is set and reached, and nodes are killed. Nobody
 * knows the order of calls by different callers, so the test checks what holds in any order.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { Answer, Call } from "./call-history.ts";
import type { Tally } from "./callers.ts";
import type { Figures } from "./figures.ts";
import { Random } from "./random.ts";
import { SoapConnection } from "./soap-connection.ts";
import { originOf, SystemUnderTest } from "./system-under-test.ts";

const CALLERS = 48;
/** How many addresses are in use at a time, and after how many calls the next one is. */
const PEOPLE = 12;
const CALLS_EACH = 25;
/** How many more subscribers the account may get, once the limit is set. */
const MORE = 5;
const [DONE, LIMIT_REACHED, UNSUBSCRIBED] = [0, 103, 206];
const AGAIN_MS = 25;

/** How often something happened at least, and at most if the unanswered calls took effect. */
class Range {
  least = 0;
  most = 0;
  count(answer: Answer, byte: number): void {
    if (answer === "not-taken" || (answer !== "unknown" && answer.byte !== byte)) return;
    this.most += 1;
    if (answer !== "unknown") this.least += 1;
  }
  includes(found: number): boolean {
    return this.least <= found && found <= this.most;
  }
}

class Wanted {
  readonly leaves = new Range();
  readonly optOuts = new Range();
  readonly refusals = new Range();
  readonly overLimit = new Range();

  /** `wasOut`: an opt-out had been acknowledged before the call was made. */
  note(address: string, call: Call, answer: Answer, wasOut: boolean): void {
    if (call.kind === "remove") this.leaves.count(answer, DONE);
    else if (call.kind === "unsubscribe") this.optOuts.count(answer, DONE);
    else {
      const isAdded = typeof answer === "object" && answer.byte === DONE;
      assert.ok(!(wasOut && isAdded), `${address} was added after the opt-out`);
      this.refusals.count(answer, UNSUBSCRIBED);
      this.overLimit.count(answer, LIMIT_REACHED);
    }
  }
}

export async function rivalNodes(database: string, ms: number, seed: number): Promise<Figures> {
  const site = await SystemUnderTest.make(database, 1);
  const line = new SoapConnection(CALLERS);
  try {
    const nodes = [await site.serve(), await site.serve()];
    const origins = nodes.map(originOf);
    const people = new Map<string, Wanted>();
    const tally: Tally = { acknowledged: 0, unanswered: 0, notTaken: 0 };
    const until = performance.now() + ms;
    let calls = 0;
    let isLimitMet = false;
    // A busy machine makes fewer calls: the limit may not be met in time.
    const goesOn = (): boolean =>
      performance.now() < until || (!isLimitMet && performance.now() < until + 3 * ms);
    const work = Array.from({ length: CALLERS }, async (_, index) => {
      const random = new Random(seed * 1009 + index);
      while (goesOn()) {
        const address = `p${Math.floor(calls / CALLS_EACH) + random.below(PEOPLE)}@example.org`;
        calls += 1;
        const person = people.get(address) ?? new Wanted();
        people.set(address, person);
        const call = choose(random);
        const wasOut = person.optOuts.least > 0;
        const answer = await line.call(random.of(origins), call, address);
        person.note(address, call, answer, wasOut);
        isLimitMet ||= person.overLimit.least > 0;
        if (answer === "unknown") tally.unanswered += 1;
        else if (answer === "not-taken") tally.notTaken += 1;
        else tally.acknowledged += 1;
        if (typeof answer === "string") await delay(AGAIN_MS);
      }
    });
    const random = new Random(seed);
    const killing = (async () => {
      let rounds = 0;
      for (; performance.now() < until; rounds += 1) {
        const which = random.below(nodes.length);
        await nodes[which]?.kill(random.between(100, 1500));
        const node = await site.serve();
        nodes[which] = node;
        origins[which] = originOf(node);
      }
      return rounds;
    })();
    const limiting = delay(ms / 2).then(() => setLimit(site));
    const [rounds, limit] = await Promise.all([killing, limiting, ...work]);
    await verifyPeople(database, people, limit);
    const doctor = await site.run("doctor");
    assert.equal(doctor.code, 0, `the doctor is not content:\n${doctor.out}${doctor.err}`);
    for (const node of nodes) await node.stop();
    return { rounds, more: `for ${ms / 1000} s; all callers share their addresses and a limit`, ...tally };
  } finally {
    line.close();
    await site.remove();
  }
}

function choose(random: Random): Call {
  const [dice, list] = [random.below(100), random.of([1, 2])];
  if (dice < 40) return { kind: "add", list };
  if (dice < 60) return { kind: "add-named", list, name: `n${random.below(1_000_000)}` };
  return dice < 95 ? { kind: "remove", list } : { kind: "unsubscribe" };
}

const activeIn = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ n: string }>("SELECT active_subscribers AS n FROM account");
  return Number(rows[0]?.n);
};

/** Returns how many active subscribers there may be from now on. */
async function setLimit(site: SystemUnderTest): Promise<number> {
  const client = new Client({ connectionString: site.database });
  await client.connect();
  try {
    const limit = (await activeIn(client)) + MORE;
    const { code, err } = await site.run("account", "set", "1", "--limit-subscribers", String(limit));
    assert.equal(code, 0, err);
    // It may have been exceeded before it was set.
    return Math.max(limit, await activeIn(client));
  } finally {
    await client.end();
  }
}

/** No acknowledged call is lost or repeated, nobody is a member against an opt-out, and the limit is kept. */
async function verifyPeople(
  database: string,
  people: ReadonlyMap<string, Wanted>,
  limit: number,
): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    // Waits for commits of killed nodes.
    await client.query("BEGIN; SELECT id FROM account FOR UPDATE; COMMIT");
    const { rows } = await client.query<Record<string, string | null>>(
      `SELECT s.address_key AS key, s.unsubscribed_at AS out,
         count(*) FILTER (WHERE h.kind = 'left') AS leaves,
         count(*) FILTER (WHERE h.kind = 'unsubscribed') AS outs,
         count(*) FILTER (WHERE h.kind = 'joined') - count(*) FILTER (WHERE h.kind = 'left')
           - (SELECT count(*) FROM membership AS m WHERE m.subscriber_id = s.id) AS unexplained
       FROM subscriber AS s LEFT JOIN history AS h ON h.subscriber_id = s.id
       GROUP BY s.account_id, s.id`,
    );
    const refused = await client.query<{ key: string; outcome: string; n: string }>(
      "SELECT lower(args::json ->> 'EMail') AS key, outcome, sum(count) AS n FROM refused GROUP BY 1, 2",
    );
    const refusals = new Map(refused.rows.map(({ key, outcome, n }) => [`${key} ${outcome}`, Number(n)]));
    const found = new Map(rows.map((row) => [row.key ?? "", row]));
    for (const [address, { leaves, optOuts, refusals: outs, overLimit }] of people) {
      const row = found.get(address);
      const seen = JSON.stringify(row ?? null);
      assert.equal(Number(row?.unexplained ?? 0), 0, `${seen}: memberships and history agree`);
      assert.ok(leaves.includes(Number(row?.leaves ?? 0)), `${seen}: ${JSON.stringify(leaves)} removes`);
      const isOut = (row?.out ?? null) !== null;
      assert.equal(Number(row?.outs ?? 0), isOut ? 1 : 0, `${seen}: an opt-out is recorded once`);
      assert.ok(isOut ? optOuts.most > 0 : optOuts.least === 0, `${seen}: an opt-out is kept`);
      for (const [outcome, range] of Object.entries({ Unsubscribed: outs, LimitReached: overLimit }))
        assert.ok(
          range.includes(refusals.get(`${address} ${outcome}`) ?? 0),
          `${seen}: ${JSON.stringify(range)} refused as ${outcome}`,
        );
    }
    const active = rows.filter(({ out }) => out === null).length;
    assert.ok(active <= limit, `${active} active subscribers, and at most ${limit} allowed`);
    assert.ok(
      [...people.values()].some(({ overLimit }) => overLimit.least > 0),
      "the limit was reached",
    );
    assert.ok(
      [...people.values()].some(({ refusals: outs }) => outs.least > 0),
      "adds met opt-outs",
    );
  } finally {
    await client.end();
  }
}
