/** Reading one page ahead: never more, never lost, and nothing left behind. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cursor, oneAhead, type WrittenRows } from "#store/reads/paging.ts";

const LAST = 4;

/** Pages 0 to LAST, each containing its number; `asked` counts the requested ones. */
function source(failAt = -1) {
  const state = { asked: 0 };
  const read = async (after: Cursor | null): Promise<WrittenRows> => {
    const number = after === null ? 0 : Number(after[1]);
    state.asked += 1;
    if (number === failAt) throw new Error("the database went away");
    return { bytes: Uint8Array.of(number), rows: 1, next: number === LAST ? null : [0, number + 1] };
  };
  return { state, read };
}

test("reads one page ahead, and no more", async () => {
  const { state, read } = source();
  let used = 0;
  for await (const { bytes, isLast } of oneAhead(read)) {
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([...bytes], [used]);
    assert.equal(isLast, used === LAST);
    assert.equal(state.asked, Math.min(used + 2, LAST + 1));
    used += 1;
  }
  assert.equal(used, LAST + 1);
});

test("frees the memory of a page when the next one is requested", async () => {
  const pages = oneAhead(source().read);
  const first = await pages.next();
  assert.equal(first.value?.bytes.length, 1);
  await pages.next();
  assert.equal(first.value?.bytes.buffer.byteLength, 0);
});

test("reports a failed page when it is requested, and not after the reader has stopped", async () => {
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const { bytes } of oneAhead(source(2).read)) seen.push(...bytes);
  }, /the database went away/);
  assert.deepEqual(seen, [0, 1]);
  // The next page fails while this one is used; an unhandled rejection would fail this file.
  for await (const _page of oneAhead(source(1).read)) break;
  await new Promise((resolve) => setImmediate(resolve));
});

test("yields no page for an empty result", async () => {
  const pages = oneAhead(async () => ({ bytes: new Uint8Array(), rows: 0, next: null }));
  assert.equal((await pages.next()).done, true);
});
