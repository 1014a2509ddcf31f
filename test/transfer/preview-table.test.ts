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
  ...{ separator: ",", sheets: null },
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

const meanings = (header: readonly string[], rows: readonly (readonly string[])[]) =>
  previewTable(beginning(header, ...rows), { contents, dates: [] }, []).columns.map(({ column }) => column);

test("an unknown column is what nearly all of its values say, not what its heading looks like", () => {
  const countries = ["DE", "FR", "IT", "ES"];
  const rows = range(100).map((index) => {
    const country = countries[index % 4] ?? "";
    return [
      ...[`p${index}@example.org`, index % 20 === 0 ? "?" : country, index % 2 === 0 ? "Frau" : "Herr"],
      ...[index === 0 ? "subscribed" : "cleaned", "DE", country, "Ada", "2026-01-05", "4"],
    ];
  });
  assert.deepEqual(
    meanings(["Kontakt", "Markt", "Wer", "Lage", "Ziel", "Sprache", "frist_name", "Seit", "Zahl"], rows),
    // One code throughout, the codes of languages, a name, a date and a number say nothing.
    ["email", "country", "gender", "state", null, null, null, null, null],
  );
});
test("values decide nothing where another column is known, two fit, too few do, or only a few codes are there", () => {
  const rows = range(20).map((index) => [
    ...[`p${index}@example.org`, `q${index}@example.org`, index % 2 === 0 ? "Germany" : "France"],
    ...[index % 2 === 0 ? "Italy" : "Spain", index < 18 ? "cleaned" : "maybe"],
  ]);
  assert.deepEqual(meanings(["email", "Other", "From", "To", "Lage"], rows), [
    "email",
    ...[null, null, null, null],
  ]);
  const codes = rows.slice(0, 2).map(([email]) => [email ?? "", "CA"]);
  assert.deepEqual(meanings(["email", "Code"], codes), ["email", null]);
});
test("of many unknown headings, the first are named in the problem", () => {
  const headings = ["email", ...range(60).map((index) => `frist_name ${index}`)];
  const { problem } = previewTable(beginning(headings), { contents, dates: [] }, []);
  assert.match(problem?.message ?? "", /'frist_name 49' and 10 more; map each/);
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
