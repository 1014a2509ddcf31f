import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupCommit, type Settled } from "../../src/store/group-commit.ts";

/** A commit that ends when the test says so, and remembers its groups. */
function controlled() {
  const groups: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const commits = new GroupCommit<number, number>(async (group) => {
    groups.push(group);
    await new Promise<void>((resolve) => ends.push(resolve));
    return group.map(
      (n): Settled<number> => (n < 0 ? { ok: false, error: new Error("no") } : { ok: true, value: n * 2 }),
    );
  });
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { commits, groups, end };
}

test("a write that comes alone goes at once; those that come meanwhile go together", async () => {
  const { commits, groups, end } = controlled();
  const results = [1, 2, 3].map((n) => commits.submit(n));
  assert.deepEqual(groups, [[1]]);
  await end();
  assert.deepEqual(groups, [[1], [2, 3]]);
  await end();
  assert.deepEqual(await Promise.all(results), [2, 4, 6]);
});

test("nothing is answered before its commit has ended", async () => {
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

test("one that fails fails alone", async () => {
  const { commits, end } = controlled();
  const results = Promise.allSettled([1, -1, 3].map((n) => commits.submit(n)));
  await end();
  await end();
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});

test("a commit that breaks fails its whole group, and the next one goes on", async () => {
  let isBroken = true;
  const commits = new GroupCommit<number, number>(async (group) => {
    if (isBroken) throw new Error("disk");
    return group.map((value) => ({ ok: true, value }));
  });
  await assert.rejects(commits.submit(1), /disk/);
  isBroken = false;
  assert.equal(await commits.submit(2), 2);
});

test("a group is bounded, so that one transaction is", async () => {
  const { commits, groups, end } = controlled();
  const results = Array.from({ length: 1100 }, (_, n) => commits.submit(n));
  for (let n = 0; n < 5; n += 1) await end();
  await Promise.all(results);
  assert.deepEqual(
    groups.map(({ length }) => length),
    [1, 512, 512, 75],
  );
});

test("drained waits for everything that was submitted", async () => {
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
