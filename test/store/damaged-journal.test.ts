/** SQLite journals with damage in every position, and journals that only look damaged. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { StoreRefused } from "#domain/ports/errors.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { refuseDamagedJournal } from "#store/sqlite/file/damaged-journal.ts";
import { openExisting, openFile } from "#store/sqlite/file/database-file.ts";

const PAGE = 4096;
const FRAME = PAGE + 24;
const HEADER = 32;

let folder: string;
let live: DatabaseSync;
/** The files as a kill would leave them. */
const taken = (): { readonly file: string; readonly journal: Buffer } => {
  const file = join(folder, "taken.db");
  copyFileSync(join(folder, "live.db"), file);
  return { file, journal: readFileSync(join(folder, "live.db-wal")) };
};
const isRefused = (file: string, journal: Buffer): boolean => {
  writeFileSync(`${file}-wal`, journal);
  try {
    refuseDamagedJournal(file);
    return false;
  } catch (error) {
    assert.ok(error instanceof StoreRefused);
    return true;
  }
};
const altered = (journal: Buffer, at: number, length = 1): Buffer => {
  const copy = Buffer.from(journal);
  for (let n = at; n < at + length; n += 1) copy[n] = (copy[n] ?? 0) ^ 0x5a;
  return copy;
};
/** For each frame of this journal, how many transactions end with it or after it. */
const finishedFrom = (journal: Buffer): readonly number[] => {
  const salts = journal.subarray(16, 24);
  const frames: number[] = [];
  for (let at = HEADER; at + FRAME <= journal.length; at += FRAME)
    if (journal.subarray(at + 8, at + 16).equals(salts))
      frames.push(journal.readUInt32BE(at + 4) > 0 ? 1 : 0);
  return frames.map((_, index) => frames.slice(index).reduce((sum, one) => sum + one, 0));
};
/** Transactions of one page and of several. */
const write = (count: number): void => {
  for (let n = 0; n < count; n += 1)
    live.prepare("INSERT INTO t (text) VALUES (?)").run("x".repeat(n % 3 === 0 ? 20_000 : 10));
};

describe("journals", () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "mailroll-journal-"));
    live = new DatabaseSync(join(folder, "live.db"));
    live.exec(`PRAGMA page_size = ${PAGE}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`);
    write(12);
  });
  after(() => {
    live.close();
    rmSync(folder, { recursive: true });
  });

  test("accepts a complete, empty or missing journal", () => {
    const { file, journal } = taken();
    assert.equal(isRefused(file, journal), false);
    assert.equal(isRefused(file, Buffer.alloc(0)), false);
    rmSync(`${file}-wal`);
    refuseDamagedJournal(file);
  });

  test("refuses a journal with damage before two complete transactions, and only that", () => {
    const { file, journal } = taken();
    const finished = finishedFrom(journal);
    assert.ok(finished.length > 20 && finished[0] === 13, String(finished));
    for (const [index, behind] of finished.entries()) {
      const frame = HEADER + index * FRAME;
      const isLoss = behind > 1;
      assert.equal(isRefused(file, altered(journal, frame + 24 + 1000)), isLoss, `page ${index}`);
      assert.equal(isRefused(file, altered(journal, frame + 1)), isLoss, `its number ${index}`);
      // The checksum alone, or the whole frame: two finished transactions follow in both cases.
      if (behind > 3)
        assert.equal(isRefused(file, altered(journal, frame, 5000)), true, `frames at ${index}`);
    }
    assert.equal(isRefused(file, altered(journal, 20)), true, "the header's salts");
    assert.equal(isRefused(file, Buffer.concat([Buffer.alloc(PAGE), journal.subarray(PAGE)])), true, "zeros");
  });

  test("accepts a journal that is truncated anywhere, as a killed process leaves it", () => {
    const { file, journal } = taken();
    for (let length = 0; length < journal.length; length += 997)
      assert.equal(isRefused(file, journal.subarray(0, length)), false, `${length} bytes`);
  });

  test("accepts a journal whose last transaction was torn by a power failure", () => {
    write(1);
    const { file, journal } = taken();
    const finished = finishedFrom(journal);
    const last = finished.indexOf(1);
    assert.ok(finished.length - last > 3, "it has several frames");
    for (let index = last; index < finished.length; index += 1) {
      const torn = Buffer.from(journal);
      torn.fill(0, HEADER + index * FRAME, HEADER + (index + 1) * FRAME);
      assert.equal(isRefused(file, torn), false, `frame ${index} never came`);
    }
  });

  test("accepts a journal with the rest of a rolled back transaction", () => {
    live.exec("PRAGMA cache_size = 2; BEGIN");
    write(30);
    live.exec("ROLLBACK");
    write(2);
    const { file, journal } = taken();
    assert.ok(journal.length > HEADER + FRAME * 60, "it was written");
    assert.equal(isRefused(file, journal), false);
  });

  test("accepts a restarted journal over an older one, and refuses it where it is damaged", () => {
    live.exec("PRAGMA wal_checkpoint(RESTART)");
    write(3);
    const { file, journal } = taken();
    assert.equal(finishedFrom(journal)[0], 3);
    assert.ok(journal.length > HEADER + FRAME * 60, "the older one is behind it");
    assert.equal(isRefused(file, journal), false);
    assert.equal(isRefused(file, altered(journal, HEADER + 24)), true);
  });

  test("refuses an empty or missing database file beside a journal, and keeps the journal", () => {
    const { file, journal } = taken();
    writeFileSync(`${file}-wal`, journal);
    const open = () => openFile(file, () => new Connection(file, { readOnly: false }));
    writeFileSync(file, "");
    assert.throws(open, { name: "StoreRefused", message: /taken\.db is empty or missing, but its journal/ });
    assert.throws(() => openExisting(file), { name: "StoreRefused", message: /is empty or missing/ });
    rmSync(file);
    assert.throws(open, { name: "StoreRefused", message: /is empty or missing/ });
    assert.equal(existsSync(file), false, "nothing was made");
    assert.deepEqual(readFileSync(`${file}-wal`), journal);
  });

  test("refuses a damaged journal in one line that names it and says that nothing was changed", () => {
    const { file, journal } = taken();
    const damaged = altered(journal, HEADER + 24);
    writeFileSync(`${file}-wal`, damaged);
    assert.throws(() => refuseDamagedJournal(file), {
      message: /^.*taken\.db-wal is damaged: .* Nothing was changed\. [^\n]*$/,
    });
    assert.deepEqual(readFileSync(`${file}-wal`), damaged);
  });
});
