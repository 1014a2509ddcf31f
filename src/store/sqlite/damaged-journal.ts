/**
 * Finds damage in the journal (`-wal`) that SQLite would pass over: it takes the journal up to the first frame whose checksum is
 * wrong, and says nothing of those behind it, be they a thousand calls that were acknowledged. The format is
 * https://sqlite.org/fileformat2.html#the_write_ahead_log.
 *
 * A broken frame alone is nothing unusual: a kill leaves a transaction unfinished, a power cut may leave its frames in any
 * order, one that was rolled back leaves what nobody has overwritten. But a transaction is begun only when the one before is on the disk
 * (`synchronous=FULL`), so none of these leaves two finished ones in a row behind a broken frame. Damage does, but for damage
 * to the last transaction, or a journal that was cut off: these look like a call that was never finished.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { StoreRefused } from "../../domain/ports.ts";

const HEADER = 32;
const FRAME_HEADER = 24;
/** Which of the two it is says how the checksums read words. */
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

/** The number of sound frames before the damage; null where there is none. */
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
    // Other salts are those of a journal that is done with, and being overwritten.
    const isOfThisJournal = !isSound || isSame(pairAt(frame, 8), salts);
    const own = pairAt(frame, 16);
    const follows = isOfThisJournal && isSame(frameSum(before, frame, isLittle), own);
    before = own;
    isBroken ||= !follows;
    if (!isBroken) sound += 1;
    else {
      // The last frame of a transaction says how many pages the database then has.
      const finishes = isOfThisJournal && frame.getUint32(4) > 0 ? 1 : 0;
      finishedInARow = follows ? finishedInARow + finishes : finishes;
      // Whoever begins the journal anew meanwhile begins with its header.
      if (finishedInARow > 1) return isSame(readHeader(journal).sum, sum) ? sound : null;
    }
  }
  return null;
}
const frameSum = (before: Pair, frame: DataView, isLittle: boolean): Pair =>
  checksum(checksum(before, frame, [0, 8], isLittle), frame, [FRAME_HEADER, frame.byteLength], isLittle);

/** To be asked before the file is made: of an empty one SQLite throws the journal away. */
export function refuseLoneJournal(file: string): void {
  const sizeOf = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(file) === 0 && sizeOf(`${file}-wal`) > 0)
    throw new StoreRefused(
      `${file} is empty or gone, but its journal ${file}-wal is not. Put back the file that belongs to it, or move the journal away to begin anew. Nothing was changed`,
    );
}

/** To be asked before SQLite opens the file: from then on it takes the broken frame for the end, and writes there. */
export function refuseDamagedJournal(file: string): void {
  const name = `${file}-wal`;
  const pageSize = pageSizeOf(file);
  const look = (): number | null => using(name, null, (journal) => findDamage(journal, pageSize));
  const found = pageSize === 0 ? null : look();
  // While somebody writes, a frame can be half there; a damaged one stays as it is.
  if (found === null || look() !== found) return;
  throw new StoreRefused(
    `${name} is damaged: of what was written to it, only the first ${found} pages can be read, and the calls behind them would be lost without a word. Nothing was changed. Keep a copy of ${file} and ${name}, then restore the last backup; docs/guide/running.md says what else can be done`,
  );
}

/** 0 where the file does not say it; what else is wrong with such a file is SQLite's to find. */
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
