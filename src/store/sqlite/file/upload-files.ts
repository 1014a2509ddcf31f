/**
 * The parts of uploads as files beside the database: readable by their owner only, a folder per upload. A
 * part is written to a file of a random name, which counts only if its row is committed. So two parts for the
 * same position never mix, also not from two processes.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { UploadId } from "#domain/import/upload.ts";
import { DiskFailed, StoreUnavailable } from "#domain/ports/errors.ts";
import { writeFailure } from "#files/write-failure.ts";

export const uploadFolder = (database: string): string => `${database}-uploads`;

export class UploadFiles {
  readonly #folder: string;
  readonly #reserve: number;

  /** `reserve`: the bytes that must stay free on the disk. */
  constructor(database: string, reserve: number) {
    this.#folder = uploadFolder(database);
    this.#reserve = reserve;
  }

  /** Returns the name of the file when it is durable; null: the disk has no space for it. */
  async write(id: UploadId, bytes: Uint8Array): Promise<string | null> {
    const folder = this.#folderOf(id);
    const name = randomBytes(12).toString("hex");
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize - bytes.length < this.#reserve) return null;
      await writeDurably(join(folder, name), bytes);
      await syncFolder(folder);
      return name;
    } catch (error) {
      await this.drop(id, name);
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENOSPC") return null;
      // Others are no fault of the disk, such as ENOENT: the upload was deleted meanwhile.
      const Kind = ["EDQUOT", "EFBIG", "EIO", "EROFS"].includes(code) ? DiskFailed : StoreUnavailable;
      throw new Kind(`the upload cannot be written: ${writeFailure(error)}`, { cause: error });
    }
  }

  async read(id: UploadId, name: string): Promise<Uint8Array> {
    try {
      return await readFile(join(this.#folderOf(id), name));
    } catch (error) {
      throw new StoreUnavailable(`the upload cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }

  /** A part that was not accepted. */
  drop(id: UploadId, name: string): Promise<void> {
    return rm(join(this.#folderOf(id), name), { force: true });
  }

  remove(id: UploadId): Promise<void> {
    return rm(this.#folderOf(id), { recursive: true, force: true });
  }

  /** Removes the files of all uploads but those that exist. Ids are not used twice. */
  async sweep(existing: () => Promise<readonly UploadId[]>): Promise<void> {
    // Listed before it is asked: an upload that is created meanwhile is not among them.
    const found = await readdir(this.#folder).catch(() => []);
    if (found.length === 0) return;
    const kept = new Set((await existing()).map(String));
    for (const name of found) if (/^\d+$/.test(name) && !kept.has(name)) await this.remove(Number(name));
  }

  #folderOf(id: UploadId): string {
    return join(this.#folder, String(id));
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The entry of the file in its folder. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
