import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { CsvError, MAX_ROW_LENGTH } from "#csv/rows.ts";
import { readWorkbook, type Sheets, type WorkbookOptions } from "#workbook/read-workbook.ts";
import { packed, textRow, workbookOf, workbookParts, zipOf } from "./write-workbook.ts";

async function* chunksOf(file: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += 65_536) yield file.subarray(at, at + 65_536);
}
async function rowsOf(file: Buffer, options: WorkbookOptions = {}) {
  const rows: { readonly line: number; readonly cells: readonly string[] }[] = [];
  for await (const some of readWorkbook(chunksOf(file), options))
    rows.push(...some.map(({ line, cells }) => ({ line, cells })));
  return rows;
}
const cellsOf = async (file: Buffer, options: WorkbookOptions = {}) =>
  (await rowsOf(file, options)).map(({ cells }) => cells);
const fails = (file: Buffer, message: RegExp, options: WorkbookOptions = {}) =>
  assert.rejects(rowsOf(file, options), (error: unknown) => {
    assert.ok(error instanceof CsvError, String(error));
    assert.match(error.message, message);
    return true;
  });
const oneSheet = (rows: string, parts: Partial<Parameters<typeof workbookParts>[0]> = {}) =>
  packed(workbookParts({ sheets: [{ name: "One", rows }], ...parts }));

describe("cells", () => {
  test("are shared texts, texts in place, results of formulas, truth values and errors", async () => {
    const file = oneSheet(
      `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><r><t>a</t></r><r><t> b</t></r></is></c></row>
       <row r="3"><c r="A3" t="str"><f>B3&amp;"x"</f><v>stored</v></c><c r="B3"><f>1+1</f><v>2</v></c><c r="C3" t="b"><v>1</v></c><c r="D3" t="e"><v>#N/A</v></c></row>`,
      {
        texts: [
          "<t>Zoë</t><rPh><t>zoe</t></rPh>",
          "<r><t>one</t></r><r><t xml:space='preserve'> two_x000D_</t></r>",
        ],
      },
    );
    assert.deepEqual(await rowsOf(file), [
      { line: 1, cells: ["Zoë", "one two\r", "", "a b"] },
      // An error is no value: #N/A among states must not be taken for an empty cell.
      { line: 3, cells: ["stored", "2", "true", "#N/A"] },
    ]);
  });

  test("with numbers keep all digits, and leading zeros that are shown", async () => {
    const file = oneSheet(
      `<row><c><v>491761234567890</v></c><c><v>4.9176123456789E+14</v></c><c><v>1E+20</v></c><c><v>0.1</v></c><c><v>19.989999999999998</v></c><c s="1"><v>1067</v></c><c s="2"><v>12.5</v></c><c><v>-3</v></c></row>`,
      { formats: ["00000", "#,##0.00"] },
    );
    assert.deepEqual(await cellsOf(file), [
      ["491761234567890", "491761234567890", "100000000000000000000", "0.1", "19.99", "01067", "12.5", "-3"],
    ]);
  });

  test("with dates are ISO 8601, whatever the format and the system", async () => {
    const dates = (is1904: boolean, ...serials: readonly (readonly [style: number, serial: number])[]) =>
      cellsOf(
        oneSheet(
          `<row>${serials.map(([style, serial]) => `<c s="${style}"><v>${serial}</v></c>`).join("")}</row>`,
          {
            formats: [
              14,
              "dd/mm/yyyy",
              "[$-407]d\\. mmmm yyyy;@",
              "hh:mm:ss",
              "[h]:mm",
              'yyyy"h"',
              "mmm-yy",
              22,
              '"d"0',
            ],
            is1904,
          },
        ),
      );
    assert.deepEqual(
      await dates(
        false,
        [1, 33_000],
        [2, 33_000],
        [3, 33_000],
        [4, 0.75],
        [5, 1.5],
        [6, 33_000],
        [7, 33_000],
      ),
      [["1990-05-07", "1990-05-07", "1990-05-07", "18:00:00", "1.5", "1990-05-07", "1990-05-07"]],
    );
    assert.deepEqual(
      await dates(false, [8, 45_000.5], [9, 7], [1, 1], [1, 59], [1, 60], [1, 61], [1, -1], [1, 9e9]),
      [["2023-03-15 12:00:00", "7", "1900-01-01", "1900-02-28", "60", "1900-03-01", "-1", "9000000000"]],
    );
    assert.deepEqual(await dates(true, [1, 0], [1, 33_000]), [["1904-01-01", "1994-05-08"]]);
  });

  test("that were written as ISO dates stay so", async () => {
    assert.deepEqual(await cellsOf(oneSheet(`<row><c t="d"><v>1990-05-07</v></c></row>`)), [["1990-05-07"]]);
  });
});

describe("a sheet", () => {
  const three = packed(
    workbookParts({
      sheets: [
        { name: "Hidden", rows: textRow("secret"), isHidden: true },
        { name: "Cover", rows: "<row/><row><c/></row>" },
        { name: "People & more", rows: textRow("email") + textRow(" ", "") + textRow("ada@example.org") },
        { name: "Other", rows: textRow("other") },
      ],
    }),
  );
  test("is the first visible one with rows, and all visible ones are named", async () => {
    const seen: Sheets[] = [];
    const rows = await rowsOf(three, { sheet: null, onSheets: (sheets) => seen.push(sheets) });
    assert.deepEqual(rows, [
      { line: 1, cells: ["email"] },
      { line: 3, cells: ["ada@example.org"] },
    ]);
    assert.deepEqual(seen, [{ names: ["Cover", "People & more", "Other"], name: "People & more" }]);
  });
  test("can be chosen by its name in any case, also a hidden one", async () => {
    assert.deepEqual(await cellsOf(three, { sheet: " other" }), [["other"]]);
    assert.deepEqual(await cellsOf(three, { sheet: "Hidden" }), [["secret"]]);
    assert.deepEqual(await cellsOf(three, { sheet: "Cover" }), []);
    await fails(three, /the workbook has no such sheet; it has 'Cover', 'People & more', 'Other'/, {
      sheet: "Members",
    });
  });
  test("of many rows arrives in groups, while the reader decides how fast", async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => [`p${index}@example.org`, "x".repeat(20)]);
    const parts: number[] = [];
    let [rows, groups] = [0, 0];
    for await (const some of readWorkbook(chunksOf(workbookOf(many)), {
      onPart: (part) => parts.push(part),
    })) {
      rows += some.length;
      groups += 1;
      if (groups === 40) break;
    }
    assert.deepEqual([rows, groups], [10_000, 40]);
    assert.ok(parts.every((part, index) => part > 0 && part < 1 && part >= (parts[index - 1] ?? 0)));
  });
  test("has titles above its headings, which are left out; a table with one column has none", async () => {
    const rows = (...all: readonly (readonly string[])[]) => cellsOf(workbookOf(all));
    const table = [
      ["email", "name"],
      ["ada@example.org", "Ada"],
    ];
    assert.deepEqual(await rows(["Customers 2025"], [], ["as of May"], ...table), table);
    assert.deepEqual(await rows(["ada@example.org"], ...table), [["ada@example.org"], ...table]);
    assert.deepEqual(await rows(["email"], ["ada@example.org"], ["b@example.org"]), [
      ["email"],
      ["ada@example.org"],
      ["b@example.org"],
    ]);
    assert.deepEqual(await rows(["email"]), [["email"]]);
  });
  test("with no rows is empty", async () => assert.deepEqual(await cellsOf(oneSheet("")), []));
});

describe("what is no workbook, or a hostile one", () => {
  test("is named, with what to do", async () => {
    const archive = (...names: readonly string[]) =>
      zipOf(names.map((name) => ({ name, bytes: Buffer.from("<x/>") })));
    await fails(
      archive("mimetype", "content.xml"),
      /OpenDocument file \(\.ods\); open it .* save it as CSV or \.xlsx/,
    );
    await fails(archive("Index/Document.iwa"), /a file of Numbers/);
    await fails(archive("people.csv"), /it is a zip archive; extract the table first/);
    await fails(
      packed({
        ...{ "xl/workbook.bin": "" },
        "_rels/.rels":
          workbookParts({ sheets: [] })["_rels/.rels"]?.replace("workbook.xml", "workbook.bin") ?? "",
      }),
      /binary Excel workbook \(\.xlsb\)/,
    );
  });

  test("is damaged: cut, broken XML, a missing part, an encoding that is not UTF-8", async () => {
    const whole = workbookParts({ sheets: [{ name: "One", rows: textRow("a") }] });
    await fails(packed(whole).subarray(0, 300), /the workbook is damaged; open it in a spreadsheet program/);
    await fails(packed({ ...whole, "xl/worksheets/sheet1.xml": "<worksheet><sheetData><row>" }), /damaged/);
    await fails(
      packed({ ...whole, "xl/worksheets/sheet1.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>" }),
      /damaged/,
    );
    const { "xl/worksheets/sheet1.xml": _, ...rest } = whole;
    await fails(packed(rest), /damaged/);
    const latin1 = Object.entries(whole).map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
    const wrong = {
      name: "xl/worksheets/sheet1.xml",
      bytes: Buffer.from("<worksheet>\xe4</worksheet>", "latin1"),
    };
    await fails(zipOf([...latin1.filter(({ name }) => name !== wrong.name), wrong]), /damaged/);
  });

  test("has a password in its archive", async () => {
    const files = Object.entries(workbookParts({ sheets: [] })).map(([name, text]) => ({
      ...{ name, bytes: Buffer.from(text), isEncrypted: true },
    }));
    await fails(zipOf(files), /the workbook has a password; save it without one/);
  });

  test("unpacks to far more than its size, also if the archive lies about it", async () => {
    const { "xl/worksheets/sheet1.xml": _, ...rest } = workbookParts({ sheets: [{ name: "One", rows: "" }] });
    const bomb = { name: "xl/worksheets/sheet1.xml", bytes: Buffer.alloc(40 * 1024 ** 2, " ") };
    const files = Object.entries(rest).map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
    await fails(zipOf([...files, bomb]), /unpacks to more than 100 times its size/);
    await fails(zipOf([...files, { ...bomb, claimedSize: 1000 }]), /damaged/);
    await fails(
      zipOf([...files, { ...bomb, claimedSize: 600 * 1024 ** 2 }]),
      /more than 500 MiB when it is unpacked/,
    );
  });

  test("repeats a long text in many rows, which is in the archive once", async () => {
    const rows = '<row><c t="s"><v>0</v></c></row>'.repeat(600);
    await fails(
      oneSheet(rows, { texts: [`<t>${"x".repeat(1_000_000)}</t>`] }),
      /more than 500 MiB when it is/,
    );
  });

  test("has a formula that no program has calculated", () =>
    fails(
      oneSheet(
        `${textRow("email", "state")}<row r="2"><c t="inlineStr"><is><t>a</t></is></c><c><f>1+1</f></c></row>`,
      ),
      /a formula in row 2 has no result; open the workbook in a spreadsheet program and save it again/,
    ));

  test("has more sheets than anybody makes", () =>
    fails(
      packed(
        workbookParts({ sheets: Array.from({ length: 1001 }, (_, n) => ({ name: `S${n}`, rows: "" })) }),
      ),
      /more than 1000 sheets/,
    ));

  test("has a cell or a row that is too long, or a column that no sheet has", async () => {
    const long = "x".repeat(MAX_ROW_LENGTH / 2 + 1);
    await fails(workbookOf([["ok"], [long, long]]), /the row in line 2 has more than/);
    await fails(workbookOf([[long + long]]), /a cell has more than/);
    await fails(
      oneSheet(`<row><c r="ZZZZ1"><v>1</v></c></row>`),
      /the row in line 1 has more than 20000 cells/,
    );
  });

  test("is larger than 50 MiB", async () => {
    await fails(
      Buffer.alloc(51 * 1024 ** 2),
      /a workbook of more than 50 MiB is not read; save the sheet as CSV/,
    );
  });
});

test("more workbooks than threads are read one after the other", async () => {
  const file = workbookOf([["email"], ["ada@example.org"]]);
  const all = await Promise.all(Array.from({ length: 9 }, () => cellsOf(file)));
  assert.ok(all.every((rows) => rows.length === 2));
});

test("a thread that dies between two answers ends the reading, which would otherwise wait for ever", {
  timeout: 60_000,
}, async () => {
  const many = Array.from({ length: 5000 }, (_, index) => [`p${index}@example.org`]);
  const started = once(process, "worker") as Promise<[Worker]>;
  const reading = readWorkbook(chunksOf(workbookOf(many)), {});
  let rows = (await reading.next()).value?.length ?? 0;
  const [thread] = await started;
  // The answer is there that is asked for in advance, so nothing waits for the thread.
  await once(thread, "message");
  await thread.terminate();
  await assert.rejects(
    async () => {
      for await (const some of reading) rows += some.length;
    },
    { message: "the thread that reads a workbook has ended" },
  );
  assert.equal(rows, 500, "what it had answered counts");
  assert.equal((await rowsOf(workbookOf(many))).length, 5000, "its place is free for the next workbook");
});
