/**
 * Uploads of a SQLite store: the rows are in the database, the bytes in files. Files are written by the
 * thread that serves calls, so that the writer thread does not wait for them.
 */
import type { Idempotency } from "#domain/idempotency.ts";
import type { UploadId } from "#domain/import/upload.ts";
import type { Appended, AppendPart, CreateUpload, OneUpload } from "#domain/ports/work/uploads.ts";
import { boundedCreate, type StoredRow, storedAppend, type UploadBounds } from "../uploads.ts";
import type { Kept } from "../writes/idempotency.ts";
import { UploadFiles } from "./file/upload-files.ts";

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
