import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupCommit, type Settled } from "#store/writes/group-commit.ts";

const plain = { ownerOf: () => 1, workOf: () => 1 };

/** A commit that ends when the test says so, and records its groups. */
function controlled() {
  const groups: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const commits = new GroupCommit<number, number>(async (group) => {
    groups.push(group);
    await new Promise<void>((resolve) => ends.push(resolve));
    return group.map(
      (n): Settled<number> => (n < 0 ? { ok: false, error: new Error("no") } : { ok: true, value: n * 2 }),
    );
  }, plain);
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await turns();
  };
  return { commits, groups, end };
}
/** Enough for a commit to start, or to be answered and the next one to start. */
async function turns(): Promise<void> {
  for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("groups writes of one event-loop turn, and those that arrive during a commit", async () => {
  const { commits, groups, end } = controlled();
  const first = [1, 2].map((n) => commits.submit(n));
  await turns();
  assert.deepEqual(groups, [[1, 2]]);
  const meanwhile = [3, 4, 5].map((n) => commits.submit(n));
  await turns();
  assert.deepEqual(groups, [[1, 2]], "one commit at a time");
  await end();
  assert.deepEqual(groups, [
    [1, 2],
    [3, 4, 5],
  ]);
  await end();
  assert.deepEqual(await Promise.all([...first, ...meanwhile]), [2, 4, 6, 8, 10]);
});

test("answers no write before its commit has ended", async () => {
  const { commits, end } = controlled();
  let answered = false;
  const write = commits.submit(1).then(() => {
    answered = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(answered, false);
  await end();
  await write;
  assert.equal(answered, true);
});

test("starts the next commit before the answers of the last one, which do not wait for it", async () => {
  const { commits, groups, end } = controlled();
  const begunWhenAnswered = commits.submit(1).then(() => groups.length);
  await turns();
  const next = commits.submit(2);
  await end();
  assert.equal(await begunWhenAnswered, 2);
  await end();
  assert.equal(await next, 4);
});

test("fails only the write that failed", async () => {
  const { commits, end } = controlled();
  const results = Promise.allSettled([1, -1, 3].map((n) => commits.submit(n)));
  await end();
  await end();
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});

test("fails the whole group of a failed commit, and continues with the next", async () => {
  let isBroken = true;
  const commits = new GroupCommit<number, number>(async (group) => {
    if (isBroken) throw new Error("disk");
    return group.map((value) => ({ ok: true, value }));
  }, plain);
  await assert.rejects(commits.submit(1), /disk/);
  isBroken = false;
  assert.equal(await commits.submit(2), 2);
});

test("limits the size of a group", async () => {
  const { commits, groups, end } = controlled();
  const results = Array.from({ length: 1100 }, (_, n) => commits.submit(n));
  for (let n = 0; n < 5; n += 1) await end();
  await Promise.all(results);
  assert.deepEqual(
    groups.map(({ length }) => length),
    [512, 512, 76],
  );
});

test("waits in drained for everything that was submitted", async () => {
  const { commits, end } = controlled();
  const writes = [commits.submit(1), commits.submit(2)];
  let isDrained = false;
  const drained = commits.drained().then(() => {
    isDrained = true;
  });
  await end();
  assert.equal(isDrained, false);
  await end();
  await Promise.all([drained, ...writes]);
});

test("counts its groups, and is busy until the last one is answered", async () => {
  const { commits, end } = controlled();
  assert.deepEqual([commits.isBusy, commits.groups], [false, 0]);
  const writes = [commits.submit(1)];
  await turns();
  writes.push(commits.submit(2));
  const first = commits.nextGroup();
  await end();
  await first;
  assert.deepEqual([commits.isBusy, commits.groups], [true, 1]);
  const second = commits.nextGroup();
  await end();
  await second;
  await Promise.all(writes);
  assert.deepEqual([commits.isBusy, commits.groups], [false, 2]);
});
