/** Rows of a listing that a command shows, page by page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_PAGE, type PageInputs } from "#admin/kit/paging.ts";
import { everyPage, firstRows } from "#cli/kit/every-page.ts";

const all = Array.from({ length: 1201 }, (_, index) => ({ id: index + 1 }));
const read = async ({ limit, after = null }: PageInputs) => {
  const start = Number(after ?? 0);
  const end = start + limit;
  return { rows: all.slice(start, end), previous: null, next: end < all.length ? String(end) : null };
};

test("a command shows more rows than a page has, exactly as many as asked for", async () => {
  for (const limit of [1, MAX_PAGE, MAX_PAGE + 1, 1200])
    assert.deepEqual(await firstRows(limit, read), { rows: all.slice(0, limit), hasMore: true });
  for (const limit of [1201, 5000])
    assert.deepEqual(await firstRows(limit, read), { rows: all, hasMore: false });
  assert.deepEqual(await everyPage(read), all);
});
