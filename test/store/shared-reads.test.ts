import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageRange } from "#domain/ports/listing.ts";
import { questionOf, SharedReads } from "#store/ports.ts";

/** Queries that end when the test says so; each answers with its number. */
function controlled() {
  const reads = new SharedReads();
  const begun: { readonly question: string; readonly end: () => Promise<void>; fail: Error | null }[] = [];
  const ask = (question: string): Promise<number> =>
    reads.read(question, async () => {
      const number = begun.length;
      const gate = Promise.withResolvers<void>();
      const query = { question, end: () => settle(gate.resolve), fail: null as Error | null };
      begun.push(query);
      await gate.promise;
      if (query.fail !== null) throw query.fail;
      return number;
    });
  const settle = async (open: () => void): Promise<void> => {
    open();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const questions = (): readonly string[] => begun.map(({ question }) => question);
  return { reads, ask, begun, questions };
}

test("gives calls that arrive during a query the next query, not the one that has begun", async () => {
  const { ask, begun, questions } = controlled();
  const first = ask("lists of 1");
  const later = [ask("lists of 1"), ask("lists of 1"), ask("lists of 1")];
  assert.deepEqual(questions(), ["lists of 1"], "one query at a time");
  await begun[0]?.end();
  assert.equal(await first, 0);
  assert.equal(begun.length, 2, "the waiting calls share one query");
  const last = ask("lists of 1");
  assert.equal(begun.length, 2);
  await begun[1]?.end();
  assert.deepEqual(await Promise.all(later), [1, 1, 1]);
  await begun[2]?.end();
  assert.equal(await last, 2, "a call that arrived after the second query began does not get its answer");
});

test("begins the next query before the callers of the last one continue", async () => {
  const { ask, begun } = controlled();
  const again = ask("a").then(() => ask("a"));
  const waiting = ask("a");
  await begun[0]?.end();
  assert.equal(begun.length, 2, "the caller that asks again does not begin a query of its own beside it");
  await begun[1]?.end();
  await begun[2]?.end();
  assert.deepEqual(await Promise.all([waiting, again]), [1, 2]);
});

test("runs different questions side by side", async () => {
  const { ask, begun, questions } = controlled();
  const answers = Promise.all([ask("lists of 1"), ask("lists of 2"), ask("fields of 1")]);
  assert.deepEqual(questions(), ["lists of 1", "lists of 2", "fields of 1"]);
  for (const { end } of begun) await end();
  assert.deepEqual(await answers, [0, 1, 2]);
});

test("gives an error to all calls of a query, and begins the next query all the same", async () => {
  const { ask, begun } = controlled();
  const failure = new Error("the database is gone");
  const failing = ask("a");
  const together = [ask("a"), ask("a")];
  const [first] = begun;
  assert.ok(first);
  first.fail = failure;
  const failed = assert.rejects(failing, failure);
  await first.end();
  await failed;
  const [, second] = begun;
  assert.ok(second);
  second.fail = failure;
  const bothFailed = Promise.all(together.map((one) => assert.rejects(one, failure)));
  await second.end();
  await bothFailed;
  const afterwards = ask("a");
  await begun[2]?.end();
  assert.equal(await afterwards, 2);
});

test("does not let calls wait longer than half a second for a slow query", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { ask, begun } = controlled();
  const slow = ask("a");
  const impatient = [ask("a"), ask("a")];
  t.mock.timers.tick(499);
  assert.equal(begun.length, 1);
  t.mock.timers.tick(1);
  assert.equal(begun.length, 2);
  const later = ask("a");
  await begun[0]?.end();
  assert.equal(await slow, 0);
  assert.equal(begun.length, 2, "the end of the slow query does not begin the one after the next");
  await begun[1]?.end();
  assert.deepEqual(await Promise.all(impatient), [1, 1]);
  await begun[2]?.end();
  assert.equal(await later, 2);
});

test("is drained when the queries that wait have ended too, and then keeps nothing", async () => {
  const { reads, ask, begun } = controlled();
  let isDrained = false;
  const answers = [ask("a"), ask("a"), ask("b")];
  const drained = reads.drained().then(() => {
    isDrained = true;
  });
  await begun[0]?.end();
  await begun[1]?.end();
  assert.equal(isDrained, false, "the second query of a still runs");
  await begun[2]?.end();
  await drained;
  await Promise.all(answers);
});

test("shares the page of a short list, and lets each call read a long list itself", async () => {
  const reads = new SharedReads();
  let queries = 0;
  const first = { after: null, limit: 2 } as const;
  const three = (next: string | null) =>
    Promise.all(
      [1, 2, 3].map(() =>
        reads.page("lists.all", { account: 1 }, first, async () => {
          queries += 1;
          return { rows: [1, 2], previous: null, next };
        }),
      ),
    );
  const short = await three(null);
  assert.equal(queries, 2, "one for the first call, one for the others");
  assert.equal(short[1], short[2]);
  queries = 0;
  const long = await three("2");
  assert.equal(queries, 3, "the first two calls by the two shared queries, the third by its own");
  assert.ok(long.every(({ rows }) => rows.length === 2));
});

test("shares no page but the first, and distinguishes both ends of a listing", async () => {
  const reads = new SharedReads();
  const ask = (range: PageRange, row: number) =>
    reads.page("lists.all", { account: 1 }, range, async () => ({ rows: [row], previous: null, next: null }));
  const pages = await Promise.all([
    ask({ after: null, limit: 2 }, 1),
    ask({ after: "1", limit: 2 }, 2),
    ask({ after: "1", limit: 2 }, 3),
    ask({ before: null, limit: 2 }, 4),
    ask({ after: null, limit: 5 }, 5),
  ]);
  assert.deepEqual(
    pages.flatMap(({ rows }) => rows),
    [1, 2, 3, 4, 5],
  );
});

test("distinguishes kinds and arguments of reads", () => {
  const questions = [
    questionOf("lists", { account: 1 }),
    questionOf("lists", { account: 11 }),
    questionOf("fields", { account: 1 }),
    questionOf("targetedLists", { account: 1, campaign: 2 }),
    questionOf("targetedLists", { account: 2, campaign: 1 }),
  ];
  assert.equal(new Set(questions).size, questions.length);
});
