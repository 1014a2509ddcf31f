/**
 * A backup: a SQLite file followed by a footer with the checksum of its bytes, which SQLite ignores. So it is
 * one file, and truncation and bit errors are detected. The file gets its name after it is complete and
 * synced to disk, so no incomplete backup has that name.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { StoreRefused } from "#domain/ports/errors.ts";
import { PartialFolder, writeFailure } from "#files/partial-folder.ts";
import { PROGRAM } from "#shipped.ts";
import { asStoreError, Connection, isFull } from "../connection.ts";
import { isOlder, migrate } from "../migrate.ts";
import { FOOTER_LENGTH, footer, openExisting, readFooter } from "./database-file.ts";

/** `fill` creates a database at the path it gets. */
export async function writeBackup<T>(
  file: string,
  mayReplace: boolean,
  fill: (partial: string) => Promise<T>,
): Promise<T> {
  requirePlace(file, mayReplace);
  const folder = await explained(file, "written", async () => PartialFolder.beside(file));
  try {
    const partial = folder.file;
    const filled = await explained(file, "written", () => fill(partial));
    await explained(file, "written", async () => {
      await addFooter(partial);
      publish(folder, file, mayReplace);
    });
    return filled;
  } finally {
    folder.remove();
  }
}

function requirePlace(file: string, mayReplace: boolean): void {
  const folder = dirname(file);
  if (!existsSync(folder))
    throw new StoreRefused(`there is no folder ${folder} for ${basename(file)}; create it first`);
  if (!existsSync(file)) return;
  if (!mayReplace) throw taken(file);
  if (!statSync(file).isFile() || readFooter(file) === null)
    throw new StoreRefused(`${file} is not a backup and was not replaced; choose another name`);
}
const taken = (file: string): StoreRefused =>
  new StoreRefused(`${file} already exists and was left unchanged; choose another name, or use --replace`);

async function addFooter(file: string): Promise<void> {
  const sha256 = await checksum(file, statSync(file).size);
  const descriptor = openSync(file, "a");
  try {
    writeSync(descriptor, footer(sha256));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function publish(partial: PartialFolder, file: string, mayReplace: boolean): void {
  try {
    partial.publish(file, mayReplace);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? taken(file) : error;
  }
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Calls `use` with the path of a database that this version can read: the backup itself, or a migrated copy
 * of an older one, in a temporary folder within `place`.
 */
export async function readBackup<T>(
  file: string,
  place: string,
  use: (readable: string) => Promise<T>,
): Promise<T> {
  await explained(file, "read", () => requireWhole(file));
  const db = openExisting(file);
  const mustMigrate = isOlder(db);
  db.close();
  if (!mustMigrate) return use(file);
  const what = `brought up to date in ${place}`;
  const folder = await explained(file, what, async () => {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    return PartialFolder.within(place);
  });
  try {
    const copy = folder.file;
    await explained(file, what, async () => bringUpToDate(file, copy));
    return await use(copy);
  } finally {
    folder.remove();
  }
}

function bringUpToDate(file: string, copy: string): void {
  copyFileSync(file, copy);
  const db = new Connection(copy, { readOnly: false });
  try {
    migrate(db, file, Date.now());
  } catch (error) {
    throw asStoreError(error);
  } finally {
    db.close();
  }
}

async function requireWhole(file: string): Promise<void> {
  if (!existsSync(file)) throw new StoreRefused(`there is no file ${file}`);
  const expected = readFooter(file);
  if (expected === null)
    throw new StoreRefused(
      `${file} has no backup footer: it is truncated, or not a backup. To copy a database that is not a backup, use '${PROGRAM} copy'. Nothing was changed`,
    );
  if ((await checksum(file, statSync(file).size - FOOTER_LENGTH)) !== expected)
    throw new StoreRefused(
      `${file} is damaged: its checksum does not match its footer. Use another backup; nothing was changed`,
    );
}

/** Over the first `length` bytes. */
async function checksum(file: string, length: number): Promise<string> {
  const hash = createHash("sha256");
  if (length > 0)
    for await (const bytes of createReadStream(file, { end: length - 1, highWaterMark: 1 << 20 }))
      hash.update(bytes as Buffer);
  return hash.digest("hex");
}

async function explained<T>(file: string, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { syscall, cause } = error as NodeJS.ErrnoException;
    const isDiskFull = isFull(error) || isFull(cause);
    if (syscall === undefined && !isDiskFull) throw error;
    const reason = isDiskFull ? "the disk is full" : writeFailure(error);
    throw new StoreRefused(`${file} cannot be ${what}: ${reason}`, { cause: error });
  }
}
