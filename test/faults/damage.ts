/**
 * A damaged database file or journal: the start is refused in one line, and no byte of the files is changed.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import type { Figures } from "./figures.ts";
import { originOf, SystemUnderTest } from "./system-under-test.ts";

const noise = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, n) => (n * 167 + (n >> 3)) & 0xff));
const overwritten = (file: Buffer, at: number, bytes: Buffer): Buffer =>
  Buffer.concat([file.subarray(0, at), bytes, file.subarray(at + bytes.length)]);

type Damages = Readonly<Record<string, (file: Buffer) => Buffer>>;
/** SQLite's first hundred bytes are its header. The rest of the first page lists the tables. */
const damages: Damages = {
  "all noise": (file) => noise(file.length),
  "noise over the header": (file) => overwritten(file, 0, noise(100)),
  "zeros over the header's numbers": (file) => overwritten(file, 16, Buffer.alloc(84)),
  "noise over the tables' names": (file) => overwritten(file, 100, noise(3000)),
  "zeros over the tables' names": (file) => overwritten(file, 100, Buffer.alloc(3996)),
  "cut in half": (file) => file.subarray(0, file.length / 2),
  "cut within the first page": (file) => file.subarray(0, 1000),
  "zeros to the end": (file) => overwritten(file, 4096, Buffer.alloc(file.length - 4096)),
  "a database of another program": () => foreign,
};
const foreign = (() => {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
  const bytes = db.serialize();
  db.close();
  return Buffer.from(bytes);
})();

/** The journal as a kill leaves it, with calls that are not in the file yet. */
const journalDamages: Damages = {
  "a changed bit in its first page": (file) => overwritten(file, 1000, Buffer.of((file[1000] ?? 0) ^ 1)),
  "noise in its middle": (file) => overwritten(file, file.length / 2, noise(3000)),
  "zeros in its middle": (file) => overwritten(file, file.length / 2, Buffer.alloc(8192)),
  "zeros over its header": (file) => overwritten(file, 0, Buffer.alloc(4096)),
};

interface Contents {
  readonly file: Buffer;
  /** null if there is none. */
  readonly journal: Buffer | null;
}
/** The database's files. SQLite recreates the third one from the second. */
class Files {
  readonly #site: SystemUnderTest;
  readonly #file: string;

  constructor(site: SystemUnderTest) {
    this.#site = site;
    this.#file = site.database.slice("sqlite:".length);
  }

  read(): Contents {
    const journal = `${this.#file}-wal`;
    return {
      file: readFileSync(this.#file),
      journal: existsSync(journal) ? readFileSync(journal) : null,
    };
  }

  put({ file, journal = null }: Partial<Contents> & Pick<Contents, "file">): void {
    for (const suffix of ["-wal", "-shm"]) rmSync(this.#file + suffix, { force: true });
    writeFileSync(this.#file, file);
    if (journal !== null) writeFileSync(`${this.#file}-wal`, journal);
  }

  async assertRefused(how: string): Promise<void> {
    const before = this.read();
    const [served, doctor] = await Promise.all([
      this.#site.run("serve", "--port", "0"),
      this.#site.run("doctor"),
    ]);
    assert.equal(served.code, 1, `${how}: it is refused: ${served.out}${served.err}`);
    assert.match(served.err, /^mailroll: .*m\.db.*\n$/, how);
    assert.equal(doctor.code, 1, `${how}: the doctor says so: ${doctor.out}${doctor.err}`);
    const { file, journal } = this.read();
    assert.ok(file.equals(before.file), `${how}: the file was changed`);
    if (before.journal !== null)
      assert.ok(journal?.equals(before.journal), `${how}: the journal was changed`);
    assert.ok(!existsSync(`${this.#file}-journal`), `${how}: a journal was left`);
  }
}

/** Few enough calls that no checkpoint has moved them to the file yet. */
const CALLS_IN_JOURNAL = 60;

export async function damageFile(seed: number): Promise<Figures> {
  const site = await SystemUnderTest.make(null, 16);
  try {
    const files = new Files(site);
    const served = await site.serve();
    await site.serves(seed, [originOf(served)]);
    await served.stop();
    const whole = files.read();
    for (const [how, damage] of Object.entries(damages)) {
      files.put({ file: damage(whole.file) });
      await files.assertRefused(how);
    }
    // A start does not read the whole file, so it cannot find this damage. A command that reads everything
    // does.
    const middle = 4096 * Math.floor(whole.file.length / 8192);
    files.put({ file: overwritten(whole.file, middle, noise(8192)) });
    assert.match((await site.run("doctor")).out, /^problem +(?:integrity|database) /m);
    files.put(whole);
    await site.verify();
    const ofJournal = await damageJournal(site, files, seed + 1);
    const kinds = [...Object.keys(damages), ...ofJournal];
    const more = `the program refuses to start, with a one-line error, and leaves the files unchanged. Damage to the file: ${Object.keys(damages).join(", ")}. Damage to its journal: ${Object.keys(journalDamages).join(", ")}. One more case: the database file is empty, beside an intact journal`;
    return { rounds: kinds.length, more, ...site.callers.tally };
  } finally {
    await site.remove();
  }
}

async function damageJournal(site: SystemUnderTest, files: Files, seed: number): Promise<readonly string[]> {
  const served = await site.serve();
  const calls = site.callers.start(seed, [originOf(served)]);
  while (calls.tally.acknowledged < CALLS_IN_JOURNAL) await delay(5);
  await calls.stop();
  await served.kill();
  const killed = files.read();
  const { journal } = killed;
  assert.ok(journal !== null, "the kill left a journal");
  for (const [how, damage] of Object.entries(journalDamages)) {
    files.put({ ...killed, journal: damage(journal) });
    await files.assertRefused(how);
  }
  files.put({ ...killed, file: Buffer.alloc(0) });
  await files.assertRefused("a file that was emptied, beside its journal");
  // An interrupted write leaves an incomplete journal; that is not damage.
  files.put({ ...killed, journal: journal.subarray(0, journal.length - 1000) });
  assert.equal((await site.run("list", "list")).code, 0, "a last page that is half there is let through");
  files.put(killed);
  await site.verify();
  return [...Object.keys(journalDamages), "and the file emptied beside its journal"];
}
