/** How far long work is, as people see it on a terminal and find it in a log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { copyText } from "#cli/commands/databases/copy.ts";
import { progressLine } from "#cli/kit/terminal/output.ts";

function shownOn(columns: number | null) {
  const screen = { text: "", time: 0 };
  const show = progressLine(
    (text) => {
      screen.text += text;
    },
    () => columns,
    () => screen.time,
  );
  return { screen, show };
}

test("on a terminal a progress line replaces the previous one, not too often, and is removed at the end", () => {
  const { screen, show } = shownOn(12);
  for (const [time, line] of [
    [99, "too soon"],
    [100, "one"],
    [150, "too soon"],
    [200, "wider than the terminal"],
  ] as const) {
    screen.time = time;
    show(line);
  }
  show(null);
  show(null);
  assert.equal(screen.text, "\rone\u001b[K\rwider than…\u001b[K\r\u001b[K");
});

test("without a terminal a progress line is printed now and then, and none is removed", () => {
  const { screen, show } = shownOn(null);
  for (screen.time = 0; screen.time < 25_000; screen.time += 1000) show(`at ${screen.time}`);
  show(null);
  assert.equal(screen.text, "at 10000\nat 20000\n");
});

test("the progress text has percentage, step, rows, speed and remaining time", () => {
  assert.equal(
    copyText({ doing: "copying", table: "history", done: 500_000, total: 2_000_000 }, 10_000),
    "[##--------] 25% copying history 500,000 rows 50,000/s 30 s left",
  );
  assert.equal(
    copyText({ doing: "checking", table: "list", done: 1_000_003, total: 2_000_000 }, 20_000),
    "[#####-----] 50% checking list 3 rows 50,000/s 20 s left",
  );
  assert.equal(
    copyText({ doing: "indexing", table: null, done: 1_000_000, total: 2_000_000 }, 200_000),
    "[#####-----] 50% building indexes 1,000,000 rows 5,000/s 4 min left",
  );
  assert.equal(
    copyText({ doing: "copying", table: "list", done: 0, total: 0 }, 0),
    "[##########] 100% copying list 0 rows 0/s",
  );
});
