import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FairQueue, MAX_ITEMS, MAX_WORK, type Owner } from "#store/writes/fair-queue.ts";
import { GroupCommit } from "#store/writes/group-commit.ts";

interface Item {
  readonly owner: Owner;
  readonly work: number;
  readonly nth: number;
}
const share = { ownerOf: ({ owner }: Item) => owner, workOf: ({ work }: Item) => work };
const HEAVY = 5001;

/** Items of accounts, which are named by numbers, each with its position among those of its account. */
function filled(...items: readonly (readonly [owner: Owner, work: number])[]) {
  const queue = new FairQueue<Item>(share);
  const counts = new Map<Owner, number>();
  const add = (owner: Owner, work: number): void => {
    const nth = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, nth);
    queue.add({ owner, work, nth });
  };
  for (const [owner, work] of items) add(owner, work);
  const take = (): readonly string[] => queue.take().map(({ owner, nth }) => `${owner}.${nth}`);
  return { queue, add, take };
}
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe("the queue for the next group", () => {
  test("keeps the order of arrival where everything fits", () => {
    const { queue, take } = filled([1, 1], [2, 4], [1, 1], [null, 1]);
    assert.deepEqual(take(), ["1.1", "2.1", "1.2", "null.1"]);
    assert.equal(queue.length, 0);
    assert.deepEqual(take(), []);
  });

  test("limits one account by number and by work, in order", () => {
    const many = filled(...times(MAX_ITEMS + 10, [1, 1] as const));
    assert.deepEqual([many.take().length, many.take().length, many.take().length], [MAX_ITEMS, 10, 0]);
    const work = MAX_WORK / 4;
    const heavy = filled(...times(8, [1, work] as const));
    assert.deepEqual(
      [heavy.take(), heavy.take()],
      [
        ["1.1", "1.2", "1.3", "1.4", "1.5"],
        ["1.6", "1.7", "1.8"],
      ],
      "the first of a group is not counted",
    );
  });

  test("takes a light account into the next group, however much heavy accounts have queued", () => {
    const { queue, add, take } = filled(...times(50, [1, HEAVY] as const), ...times(50, [2, HEAVY] as const));
    assert.deepEqual(take(), ["1.1"]);
    add(3, 1);
    assert.deepEqual(take(), ["2.1", "3.1"]);
    add(3, 1);
    add(null, 1);
    assert.deepEqual(take(), ["1.2", "null.1", "3.2"], "served owners go last");
    add(3, 1);
    assert.deepEqual(take(), ["2.2", "3.3"], "and the heavy ones take turns");
    assert.equal(queue.length, 96);
  });

  test("serves a light account among many other light ones", () => {
    const { add, take } = filled(...times(2 * MAX_ITEMS, [1, 1] as const));
    add(2, 1);
    assert.ok(take().includes("2.1"));
    for (let owner = 10; owner < 10 + 2 * MAX_ITEMS; owner += 1) add(owner, 1);
    add(3, 1);
    const groups = [take(), take(), take()];
    assert.equal(
      groups.findIndex((group) => group.includes("3.1")),
      2,
      "everybody before it had one turn",
    );
  });

  test("takes everything in the order of each account, with no empty group", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom<Owner>(1, 2, 3, null),
            fc.constantFrom(1, 2, MAX_WORK / 2, MAX_WORK, HEAVY),
          ),
          { minLength: 1, maxLength: 60 },
        ),
        fc.nat(10),
        (items, before) => {
          const { queue, add, take } = filled(...items.slice(before));
          const taken: string[] = [...take()];
          for (const [owner, work] of items.slice(0, before)) add(owner, work);
          while (queue.length > 0) {
            const group = take();
            assert.ok(group.length > 0, "something goes with every group");
            taken.push(...group);
          }
          assert.equal(taken.length, items.length);
          for (const owner of [1, 2, 3, null]) {
            const own = taken.filter((item) => item.startsWith(`${owner}.`));
            assert.deepEqual(
              own,
              own.map((_, index) => `${owner}.${index + 1}`),
            );
          }
        },
      ),
    ));
});

test("commits a write of one account with the next group while heavy writes of another are queued", async () => {
  const groups: (readonly Item[])[] = [];
  const ends: (() => void)[] = [];
  const commits = new GroupCommit<Item, number>(async (group) => {
    groups.push(group);
    await new Promise<void>((resolve) => ends.push(resolve));
    return group.map(({ nth }) => ({ ok: true, value: nth }));
  }, share);
  const end = async (): Promise<void> => {
    ends.shift()?.();
    for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const heavy = Array.from({ length: 20 }, (_, nth) => commits.submit({ owner: 1, work: HEAVY, nth }));
  await end();
  const light = commits.submit({ owner: 2, work: 1, nth: 7 });
  assert.equal(commits.waiting, 20);
  await end();
  assert.deepEqual(
    groups[1]?.map(({ owner }) => owner),
    [2],
  );
  await end();
  assert.equal(await light, 7);
  while (ends.length > 0) await end();
  assert.equal((await Promise.all(heavy)).length, 20);
});
