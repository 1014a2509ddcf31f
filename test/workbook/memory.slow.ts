import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { CsvError } from "#csv/rows.ts";
import { readWorkbook } from "#workbook/read-workbook.ts";
import { packed, textRow, workbookParts } from "./write-workbook.ts";

async function* chunksOf(file: Buffer): AsyncGenerator<Buffer> {
  yield file;
}

// Before the memory of the thread is used up, it collects garbage for most of a minute.
const options = { timeout: 240_000 };
test(
  "a workbook that needs more memory than its thread has is refused, and the process goes on",
  options,
  async () => {
    // A character above U+00FF makes a text of two bytes a character in memory, but one in the file.
    const text = (): string => `<t>–${randomBytes(30_000).toString("base64")}${"x".repeat(900_000)}</t>`;
    const texts = Array.from({ length: 400 }, text);
    const file = packed(workbookParts({ sheets: [{ name: "One", rows: textRow("a") }], texts }));
    await assert.rejects(
      async () => {
        for await (const _ of readWorkbook(chunksOf(file), {}));
      },
      (error: unknown) =>
        error instanceof CsvError &&
        /needs more than 512 MiB of memory; save the sheet as CSV/.test(error.message),
    );
  },
);
