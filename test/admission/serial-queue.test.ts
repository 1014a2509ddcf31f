import assert from "node:assert/strict";
import { test } from "node:test";
import { SerialQueue } from "#admission/serial-queue.ts";

test("runs one job at a time, and takes clients in turn", async () => {
  const queue = new SerialQueue();
  const order: string[] = [];
  let running = 0;
  const read = (client: string, name: string): Promise<void> =>
    queue.run(client, async () => {
      running += 1;
      assert.equal(running, 1);
      order.push(name);
      await new Promise(setImmediate);
      running -= 1;
      if (name === "a2") throw new Error("not XML");
    });
  const all = await Promise.allSettled([
    ...["a1", "a2", "a3", "a4"].map((name) => read("a", name)),
    read("b", "b1"),
    read("c", "c1"),
  ]);
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "a3", "a4"]);
  assert.deepEqual(
    all.map(({ status }) => status === "fulfilled"),
    [true, false, true, true, true, true],
  );
  await read("a", "later");
  assert.equal(order.at(-1), "later");
});
