/** Previews of tables that are wider than usual. What they cost is counted, not timed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Field } from "#domain/field/field.ts";
import { previewTable } from "#transfer/preview-table.ts";

const contents = {
  kind: "subscribers",
  list: 1,
  overwrite: false,
  map: [] as { heading: string; column: string }[],
  ignoresUnknown: false,
} as const;
const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);
const beginning = (...rows: readonly (readonly string[])[]) => ({
  separator: ",",
  rows: rows.map((cells, index) => ({ line: index + 1, cells, problem: null })),
  isWhole: true,
});

test("the names of fields are not read again for each of many headings", () => {
  let reads = 0;
  const fields = range(300).map((index): Field => {
    const field = { id: BigInt(index + 1), type: "STRING", isPrivate: false, createdAt: 0 } as const;
    return Object.defineProperty({ ...field, name: "" }, "name", {
      get: () => {
        reads += 1;
        return `Known ${index}`;
      },
    });
  });
  const headings = ["email", ...range(300).map((index) => `Other ${index}`), "known 7"];
  const map = [{ heading: "other-1", column: "ignore" }];
  const table = beginning(headings, headings);
  const { columns } = previewTable(table, { contents: { ...contents, map }, dates: [] }, fields);
  assert.deepEqual(
    [columns[0]?.column, columns[2]?.column, columns[3]?.column, columns[301]?.column],
    ["email", "ignore", null, "Known 7"],
  );
  assert.ok(reads < 20 * fields.length, `the names were read ${reads} times`);
});

test("of many unknown headings, the first get a suggestion and are named in the problem", () => {
  const headings = ["email", ...range(60).map((index) => `frist_name ${index}`)];
  const { columns, problem } = previewTable(beginning(headings), { contents, dates: [] }, []);
  assert.deepEqual(
    [columns[1]?.suggestion, columns[50]?.suggestion, columns[51]?.suggestion],
    ["first_name", "first_name", null],
  );
  assert.match(problem?.message ?? "", /'frist_name 49' \(did you mean first_name\?\) and 10 more; map each/);
});

test("samples are looked for in the first rows only", () => {
  let reads = 0;
  const row = new Proxy([""], {
    get: (cells, name) => {
      reads += 1;
      return Reflect.get(cells, name) as unknown;
    },
  });
  const rows = range(20_000).map(() => row);
  const headings = range(100).map(String);
  previewTable(beginning(headings, ...rows), { contents, dates: [] }, []);
  assert.ok(reads < 10 * 100 * 1000, `cells were read ${reads} times`);
});
