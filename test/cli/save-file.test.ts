/** Files of people's data: what is there when writing was interrupted or failed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Failure } from "#cli/kit/command.ts";
import { saveFile } from "#cli/kit/files.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-save-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "out.csv");
const never = new AbortController().signal;

test("an interrupted write keeps the old file, and leaves nothing of the new one", async () => {
  writeFileSync(file, "of yesterday");
  const controller = new AbortController();
  async function* text(): AsyncGenerator<string> {
    yield "half";
    controller.abort();
    await once(new EventTarget(), "never", { signal: controller.signal });
  }
  await assert.rejects(saveFile(text(), file, { signal: controller.signal, mayReplace: true }), {
    name: "AbortError",
  });
  assert.equal(readFileSync(file, "utf8"), "of yesterday");
  assert.deepEqual(readdirSync(folder), ["out.csv"]);
});

test("a write whose source fails keeps the old file, and leaves nothing of the new one", async () => {
  async function* text(): AsyncGenerator<string> {
    yield "half";
    throw new Failure("the database does not answer");
  }
  await assert.rejects(saveFile(text(), file, { signal: never, mayReplace: true }), {
    message: "the database does not answer",
  });
  assert.equal(readFileSync(file, "utf8"), "of yesterday");
  assert.deepEqual(readdirSync(folder), ["out.csv"]);
});

test("a source that fails while the file is being opened leaves nothing, however often", async () => {
  const noText: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Failure("no text")) }),
  };
  for (let attempt = 0; attempt < 500; attempt += 1) {
    await assert.rejects(saveFile(noText, file, { signal: never, mayReplace: true }), { message: "no text" });
  }
  assert.deepEqual(readdirSync(folder), ["out.csv"]);
});

test("a file that appears under the same name during a write is not replaced", async () => {
  async function* text(): AsyncGenerator<string> {
    yield "half";
    writeFileSync(join(folder, "new.csv"), "somebody's");
  }
  await assert.rejects(saveFile(text(), join(folder, "new.csv"), { signal: never, mayReplace: false }), {
    message: /new\.csv already exists; choose another name, or give --force to replace it$/,
  });
  assert.equal(readFileSync(join(folder, "new.csv"), "utf8"), "somebody's");
  assert.deepEqual(readdirSync(folder).sort(), ["new.csv", "out.csv"]);
});
