import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type CsvOptions, likelySeparator, readCsv, separators } from "#csv/read-csv.ts";
import { CsvError, type CsvRow, MAX_CELLS, MAX_ROW_LENGTH } from "#csv/rows.ts";
import { csvLine } from "#csv/write-csv.ts";

async function* inPieces(bytes: Buffer, cuts: readonly number[] = []): AsyncGenerator<Buffer> {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])];
  places.sort((a, b) => a - b);
  for (const [index, from] of places.entries()) yield bytes.subarray(from, places[index + 1]);
}
async function rowsOf(
  given: Buffer | string,
  options: Partial<CsvOptions> = {},
  cuts: readonly number[] = [],
): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = [];
  const bytes = typeof given === "string" ? Buffer.from(given) : given;
  for await (const group of readCsv(inPieces(bytes, cuts), { separator: null, encoding: null, ...options }))
    rows.push(...group);
  return rows;
}
const cellsOf = async (given: Buffer | string, options: Partial<CsvOptions> = {}) =>
  (await rowsOf(given, options)).map(({ cells }) => cells);
const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

test("a long text is read in slices, with other work in between", async () => {
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const text = `${"email,".repeat(10_000)}${"a".repeat(900_000)}\n${"ada@example.org\n".repeat(100_000)}`;
  const rows = await rowsOf(text, { separator: "," });
  isDone = true;
  assert.deepEqual([rows.length, rows[0]?.cells.length, rows.at(-1)?.line], [100_001, 10_001, 100_001]);
  assert.ok(turns >= text.length / 65_536 - 1, `${turns} turns of the event loop`);
});

describe("a table", () => {
  const table = [
    ["email", "name"],
    ["ada@example.org", "Adá"],
  ];
  for (const [name, bytes] of Object.entries({
    "of commas": "email,name\nada@example.org,Adá\n",
    "of semicolons, as many countries have it": "email;name\r\nada@example.org;Adá\r\n",
    "of tabs": "email\tname\rada@example.org\tAdá",
    "of bars": "email|name\nada@example.org|Adá",
    "with Excel's first line": "sep=;\r\nemail;name\r\nada@example.org;Adá",
    "with quotes": '"email","name"\n"ada@example.org","Adá"\n',
    "with a mark": "\ufeffemail,name\nada@example.org,Adá\n",
    "with empty lines": "\n\nemail,name\n\n,\n  \nada@example.org,Adá\n,\n,\n",
    "in UTF-16, little end first": Buffer.from("\ufeffemail\tname\r\nada@example.org\tAdá", "utf16le"),
    "in UTF-16, big end first": utf16be("\ufeffemail,name\nada@example.org,Adá"),
    "in UTF-16 without a mark": Buffer.from("email,name\nada@example.org,Adá", "utf16le"),
    "in UTF-16 without a mark, big end first": utf16be("email,name\nada@example.org,Adá"),
    "in windows-1252": Buffer.from("email,name\nada@example.org,Adá\n", "latin1"),
  }))
    test(`${name} is read`, async () => {
      assert.deepEqual(await cellsOf(Buffer.from(bytes as string)), table);
    });
  test("without content has no rows", async () => {
    for (const nothing of ["", "\n", "\ufeff", "\r\n\r\n", "sep=;\n"])
      assert.deepEqual(await cellsOf(nothing), []);
  });
  test("keeps quotes, separators and line breaks within quotes as they are", async () => {
    assert.deepEqual(await cellsOf('a,b\n"x ""y"", z","1\r\n2\r3"\n'), [
      ["a", "b"],
      ['x "y", z', "1\r\n2\r3"],
    ]);
  });
  test("treats a quote in the middle of a cell as an ordinary character", async () => {
    assert.deepEqual(await cellsOf('a,b\n5" pipe,x"y"\n'), [
      ["a", "b"],
      ['5" pipe', 'x"y"'],
    ]);
  });
  test("reports text after a closing quote", async () => {
    const [, row] = await rowsOf('a,b\n"x"y,z\n');
    assert.deepEqual(row, { line: 2, cells: ["xy", "z"], problem: "a quote closes in the middle of a cell" });
  });
  test("is read in the given encoding and with the given separator", async () => {
    const bytes = Buffer.from("a|b\n€,ñ|x\n".replace("€", "\u0080"), "latin1");
    assert.deepEqual(await cellsOf(bytes, { encoding: "windows-1252", separator: "," }), [
      ["a|b"],
      ["€", "ñ|x"],
    ]);
    await assert.rejects(
      cellsOf(Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x63]), { encoding: "utf-8" }),
      CsvError,
    );
    await assert.rejects(cellsOf("a", { encoding: "klingon" }), /there is no encoding 'klingon'/);
  });
  test("with two encodings is decoded line by line, and the number of lines that were not UTF-8 is reported", async () => {
    let lines = 0;
    const bytes = Buffer.concat([
      Buffer.from("a\nñ1\n"),
      Buffer.from("ñ2\n€\n", "latin1"),
      Buffer.from("ñ3"),
    ]);
    const onMislabelled = (count: number) => {
      lines += count;
    };
    assert.deepEqual(await cellsOf(bytes, { onMislabelled }), [["a"], ["ñ1"], ["ñ2"], ["¬"], ["ñ3"]]);
    assert.equal(lines, 2);
  });
});

test("rows have the line number in which they begin, whatever the chunks", async () => {
  const text = 'sep=,\r\na,b\r\n\r\n"1\r\n2\n3\r4",x\rlast,"y"\n';
  for (let cut = 0; cut <= text.length; cut += 1)
    assert.deepEqual(
      (await rowsOf(text, {}, [cut])).map(({ line }) => line),
      [2, 4, 8],
      `cut at ${cut}`,
    );
});

describe("a row that does not end", () => {
  const long = "x".repeat(100_000);
  async function* endless(start: string, piece: string): AsyncGenerator<Buffer> {
    yield Buffer.from(start);
    for (let sent = 0; sent < 1000; sent += 1) yield Buffer.from(piece);
    assert.fail("100 MB were read");
  }
  for (const [name, start, piece, message] of [
    [
      "because a quote is not closed",
      'a\nb\n"',
      `${long}\n`,
      /line 3 is longer than 1048576 .* an unclosed quote/,
    ],
    ["because there are no lines", "a\nb\n", long, /line 3 is longer/],
    ["because there is not even a first line", "a", long, /first line is longer/],
  ] as const)
    test(`${name} is rejected with its line, before it fills the memory`, async () => {
      await assert.rejects(async () => {
        const options = { separator: null, encoding: null };
        for await (const _ of readCsv(endless(start, piece), options));
      }, message);
    });
  test("by the end of the file is rejected with its line", async () => {
    await assert.rejects(rowsOf('a\nb\n"c\nd'), /quote that opens in the row of line 3 is never closed/);
  });
  test("may have the maximum length of a row", async () => {
    const cell = "x".repeat(MAX_ROW_LENGTH - 1);
    assert.deepEqual(await cellsOf(`${cell}\n`), [[cell]]);
    await assert.rejects(cellsOf(`${cell}xx\n`), CsvError);
  });
  test("may have the maximum number of cells", async () => {
    const row = ",".repeat(MAX_CELLS - 1);
    assert.equal((await cellsOf(`x${row}\n`))[0]?.length, MAX_CELLS);
    for (const end of ["\n", ""])
      await assert.rejects(cellsOf(`a,b\nx${row},${end}`), {
        name: "CsvError",
        message: `the row that begins in line 2 has more than ${MAX_CELLS} cells; check that it is a CSV file`,
      });
  });
});

test("the separator is the most frequent one in the header, outside of quotes", () => {
  assert.equal(likelySeparator("email"), ",");
  assert.equal(likelySeparator('"last, first";email'), ";");
  assert.equal(likelySeparator('"a;b;c",d'), ",");
});

test("any written table is read back, in any encoding and any chunks", async () => {
  const cell = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.stringMatching(/^[",;|\t\r\n x]{0,6}$/),
    fc.constantFrom("=1+1", "\ufeff", "sep=", "ñ€"),
  );
  const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
    fc.array(
      fc
        .array(cell, { minLength: width, maxLength: width })
        .filter((row) => row.some((one) => one.trim() !== "")),
      { maxLength: 6 },
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(...separators),
      fc.constantFrom("utf8", "utf16le"),
      fc.boolean(),
      fc.array(fc.nat(400), { maxLength: 8 }),
      async (rows, separator, encoding, hasMark, cuts) => {
        const mark = hasMark || encoding === "utf16le" ? "\ufeff" : "";
        const text = mark + rows.map((row) => csvLine(row, separator)).join("");
        const found = await rowsOf(Buffer.from(text, encoding), { separator }, cuts);
        assert.deepEqual(
          found.map(({ cells }) => cells),
          rows,
        );
        assert.ok(found.every(({ problem }) => problem === null));
      },
    ),
    { numRuns: 500 },
  );
});
