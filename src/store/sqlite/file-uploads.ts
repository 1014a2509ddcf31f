/**
 * Uploads of a SQLite store: the rows are in the database, the bytes in files. Files are written by the
 * thread that serves calls, so that the writer thread does not wait for them.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Idempotency } from "#domain/idempotency.ts";
import type { UploadId } from "#domain/import/upload.ts";
import { DiskFailed, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Appended, AppendPart, CreateUpload, OneUpload } from "#domain/ports/uploads.ts";
import { writeFailure } from "#files/partial-folder.ts";
import { boundedCreate, type StoredRow, storedAppend, type UploadBounds } from "../uploads.ts";
import type { Kept } from "../writes/idempotency.ts";

/**
 * The parts of uploads as files beside the database: readable by their owner only, a folder per upload. A
 * part is written to a file of a random name, which counts only if its row is committed. So two parts for the
 * same position never mix, also not from two processes.
 */
export const uploadFolder = (database: string): string => `${database}-uploads`;

class UploadFiles {
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
      await sync(join(folder, name), bytes);
      await sync(folder);
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

  /** Removes the files of uploads that do not exist any more. Ids are not used twice. */
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

/** A new file with these bytes; or without them a folder, for the entry of a file in it. */
async function sync(path: string, bytes: Uint8Array | null = null): Promise<void> {
  const handle = await (bytes === null ? open(path, "r") : open(path, "wx", 0o600));
  try {
    if (bytes !== null) await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

type Read = (kind: string, args: object) => Promise<unknown>;
type Write = (kind: string, args: object, key?: Idempotency) => Promise<unknown>;

export class FileUploads {
  readonly #files: UploadFiles;
  readonly #bounds: UploadBounds;
  readonly #read: Read;
  readonly #write: Write;

  /** `read` and `write` ask the database. */
  constructor(database: string, bounds: UploadBounds, read: Read, write: Write) {
    this.#files = new UploadFiles(database, bounds.diskReserve);
    this.#bounds = bounds;
    this.#read = read;
    this.#write = write;
  }

  write(kind: string, args: object, key?: Idempotency): Promise<unknown> {
    if (kind === "uploads.append") return this.#append(args as AppendPart, key);
    if (kind === "uploads.create")
      return this.#write(kind, boundedCreate(args as CreateUpload, this.#bounds), key);
    return kind === "uploads.delete" ? this.#delete(args as OneUpload, key) : this.#write(kind, args, key);
  }

  /** `read` asks the database. */
  async read(kind: string, args: object, read: Read): Promise<unknown> {
    const found = await read(kind, args);
    if (kind !== "uploads.part") return found;
    const row = found as StoredRow | null;
    if (row === null || row.file === null) return row;
    return { ...row, bytes: await this.#files.read((args as OneUpload).id, row.file) };
  }

  /** Removes files whose upload is gone. What cannot be removed now is tried again the next time. */
  async sweep(): Promise<void> {
    const ids = async () => (await this.#read("uploads.ids", {})) as readonly UploadId[];
    await this.#files.sweep(ids).catch(() => null);
  }

  async #append(part: AppendPart, key?: Idempotency): Promise<unknown> {
    const { account, id } = part;
    const refused = (outcome: Appended["outcome"], size: number): Appended | Kept => {
      const value: Appended = { outcome, size };
      return key === undefined ? value : { value, isRepeat: false };
    };
    const upload = (await this.#read("uploads.byId", { account, id })) as { readonly size: number } | null;
    // Otherwise a folder would be made for an upload that is not there.
    if (upload === null) return refused("NoUpload", 0);
    const file = await this.#files.write(id, part.bytes);
    if (file === null) return refused("DiskFull", upload.size);
    // If this fails, the row may be there all the same: the file stays until the upload is deleted.
    const written = await this.#write("uploads.append", storedAppend(part, this.#bounds, file), key);
    const { value, isRepeat } = key === undefined ? { value: written, isRepeat: false } : (written as Kept);
    if (isRepeat || (value as Appended).outcome !== "Appended") await this.#files.drop(id, file);
    return written;
  }

  async #delete(one: OneUpload, key?: Idempotency): Promise<unknown> {
    const written = await this.#write("uploads.delete", one, key);
    const isDeleted = key === undefined ? written : (written as Kept).value;
    if (isDeleted === true) await this.#files.remove(one.id);
    return written;
  }
}
