/**
 * Finds damage in the journal (`-wal`) that SQLite would ignore: SQLite reads the journal up to the first
 * frame with a wrong checksum and drops the rest silently, even a thousand acknowledged calls. The format is
 * https://sqlite.org/fileformat2.html#the_write_ahead_log.
 *
 * A broken frame alone is normal: a kill leaves a transaction unfinished, a power cut may leave its frames in
 * any order, and a rollback leaves frames until they are overwritten. But a transaction begins only when the
 * one before is on disk (`synchronous=FULL`), so none of these leaves two finished transactions in a row
 * after a broken frame. Damage does. Exceptions are damage to the last transaction and a truncated journal,
 * which look like an unfinished call.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { StoreRefused } from "#domain/ports/errors.ts";
import { writeFailure } from "#files/partial-folder.ts";
import { PROGRAM } from "#shipped.ts";
import { asStoreError, Connection } from "../connection.ts";
import { emptyJournal } from "./rewrite.ts";

const HEADER = 32;
const FRAME_HEADER = 24;
/** The magic number gives the byte order of the checksums. */
const LITTLE_ENDIAN = 0x377f0682;
const BIG_ENDIAN = 0x377f0683;
const PAGE_SIZE_AT = 16;
const SMALLEST_PAGE = 512;

type Pair = readonly [number, number];
const pairAt = (bytes: DataView, at: number): Pair => [bytes.getInt32(at), bytes.getInt32(at + 4)];
const isSame = ([one, other]: Pair, [first, second]: Pair): boolean => one === first && other === second;

function checksum([first, second]: Pair, bytes: DataView, [start, end]: Pair, isLittle: boolean): Pair {
  let [one, other] = [first, second];
  for (let at = start; at < end; at += 8) {
    one = (one + bytes.getInt32(at, isLittle) + other) | 0;
    other = (other + bytes.getInt32(at + 4, isLittle) + one) | 0;
  }
  return [one, other];
}

function readHeader(journal: number) {
  const header = new DataView(new ArrayBuffer(HEADER));
  readSync(journal, header, 0, HEADER, 0);
  const magic = header.getUint32(0);
  const isLittle = magic !== BIG_ENDIAN;
  const sum = pairAt(header, 24);
  const isSound =
    (magic === LITTLE_ENDIAN || magic === BIG_ENDIAN) &&
    isSame(checksum([0, 0], header, [0, 24], isLittle), sum);
  return { isLittle, isSound, salts: pairAt(header, 16), sum };
}

/** The number of valid frames before the damage; null if there is none. */
function findDamage(journal: number, pageSize: number): number | null {
  const { size } = fstatSync(journal);
  const { isLittle, isSound, salts, sum } = readHeader(journal);
  const length = FRAME_HEADER + pageSize;
  const frame = new DataView(new ArrayBuffer(length));
  let before = sum;
  let sound = 0;
  let isBroken = !isSound;
  let finishedInARow = 0;
  for (let at = HEADER; at + length <= size; at += length) {
    readSync(journal, frame, 0, length, at);
    // Other salts belong to an older journal that is being overwritten.
    const isOfThisJournal = !isSound || isSame(pairAt(frame, 8), salts);
    const own = pairAt(frame, 16);
    const follows = isOfThisJournal && isSame(frameSum(before, frame, isLittle), own);
    before = own;
    isBroken ||= !follows;
    if (!isBroken) sound += 1;
    else {
      // The last frame of a transaction contains the size of the database in pages.
      const finishes = isOfThisJournal && frame.getUint32(4) > 0 ? 1 : 0;
      finishedInARow = follows ? finishedInARow + finishes : finishes;
      // A writer that restarts the journal meanwhile starts with its header.
      if (finishedInARow > 1) return isSame(readHeader(journal).sum, sum) ? sound : null;
    }
  }
  return null;
}
const frameSum = (before: Pair, frame: DataView, isLittle: boolean): Pair =>
  checksum(checksum(before, frame, [0, 8], isLittle), frame, [FRAME_HEADER, frame.byteLength], isLittle);

/** Call before creating the file: SQLite deletes the journal of an empty file. */
export function refuseLoneJournal(file: string): void {
  const sizeOf = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(file) === 0 && sizeOf(`${file}-wal`) > 0)
    throw new StoreRefused(
      `${file} is empty or missing, but its journal ${file}-wal is not. Put back the file that belongs to the journal, or move the journal away to start with an empty database. Nothing was changed`,
    );
}

/** Call before SQLite opens the file: it takes the broken frame for the end and overwrites what follows. */
export function refuseDamagedJournal(file: string): void {
  const found = readablePages(file);
  if (found === null) return;
  const name = `${file}-wal`;
  throw new StoreRefused(
    `${name} is damaged: only its first ${found} pages are readable, and SQLite would silently drop the calls after them. Nothing was changed. Keep a copy of ${file} and ${name}, then restore the last backup, or continue without those calls with '${PROGRAM} doctor --accept-damaged-journal'; see docs/guide/running.md`,
  );
}

/** The number of pages before the damage; null if the journal is not damaged. */
export function readablePages(file: string): number | null {
  const pageSize = pageSizeOf(file);
  const look = (): number | null => using(`${file}-wal`, null, (journal) => findDamage(journal, pageSize));
  const found = pageSize === 0 ? null : look();
  // During a write, a frame can be incomplete for a moment; damage is the same on the second look.
  return found !== null && look() === found ? found : null;
}

/** 0 if the header has none; SQLite reports what else is wrong with such a file. */
const pageSizeOf = (file: string): number =>
  using(file, 0, (database) => {
    const bytes = new DataView(new ArrayBuffer(2));
    readSync(database, bytes, 0, 2, PAGE_SIZE_AT);
    const said = bytes.getUint16(0);
    if (said === 1) return 65_536;
    return said >= SMALLEST_PAGE && (said & (said - 1)) === 0 ? said : 0;
  });

function using<T>(name: string, without: T, use: (descriptor: number) => T): T {
  let descriptor: number;
  try {
    descriptor = openSync(name, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return without;
    throw error;
  }
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The operator's way past a damaged journal: SQLite takes what is readable and drops the rest. The journal is
 * copied first, because SQLite overwrites it.
 */
export interface AcceptedJournal {
  /** How many pages of the journal were readable. */
  readonly pages: number;
  /** The copy of the journal. */
  readonly copy: string;
}

/** Returns null, and changes nothing, if the journal is not damaged. */
export function acceptDamagedJournal(file: string, now: number): AcceptedJournal | null {
  const pages = readablePages(file);
  if (pages === null) return null;
  const copy = `${file}-wal-damaged-${new Date(now).toISOString().replaceAll(":", "-")}`;
  copyJournal(`${file}-wal`, copy);
  try {
    const db = new Connection(file, { readOnly: false });
    try {
      emptyJournal(db, file);
    } finally {
      db.close();
    }
  } catch (error) {
    throw asStoreError(error);
  }
  return { pages, copy };
}

/** The copy is on disk before the journal is changed; an incomplete one is removed. */
function copyJournal(journal: string, copy: string): void {
  try {
    copyFileSync(journal, copy, constants.COPYFILE_EXCL);
    const descriptor = openSync(copy, "r+");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(copy, { force: true });
    throw new StoreRefused(
      `the damaged journal cannot be copied to ${copy}: ${writeFailure(error)}. Nothing was changed. Make room or move other files away, then run the command again`,
    );
  }
}
