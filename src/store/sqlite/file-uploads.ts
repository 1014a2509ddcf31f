/**
 * Uploads of a SQLite store: the rows are in the database, the bytes in files. Files are written by the
 * thread that serves calls, so that the writer thread does not wait for them.
 */
import type { Appended, AppendPart, CreateUpload, OneUpload } from "../../domain/ports/uploads.ts";
import type { UploadId } from "../../domain/upload.ts";
import { boundedCreate, type StoredRow, storedAppend, type UploadBounds } from "../uploads.ts";
import { UploadFiles } from "./file/upload-files.ts";

type Call = (kind: string, args: object) => Promise<unknown>;

export class FileUploads {
  readonly #files: UploadFiles;
  readonly #bounds: UploadBounds;
  readonly #read: Call;
  readonly #write: Call;

  /** `read` and `write` ask the database. */
  constructor(database: string, bounds: UploadBounds, read: Call, write: Call) {
    this.#files = new UploadFiles(database, bounds.diskReserve);
    this.#bounds = bounds;
    this.#read = read;
    this.#write = write;
  }

  write(kind: string, args: object): Promise<unknown> {
    if (kind === "uploads.append") return this.#append(args as AppendPart);
    if (kind === "uploads.create")
      return this.#write(kind, boundedCreate(args as CreateUpload, this.#bounds));
    return kind === "uploads.delete" ? this.#delete(args as OneUpload) : this.#write(kind, args);
  }

  async read(kind: string, args: object): Promise<unknown> {
    if (kind !== "uploads.part") return this.#read(kind, args);
    const row = (await this.#read(kind, args)) as StoredRow | null;
    if (row === null || row.file === null) return row;
    return { ...row, bytes: await this.#files.read((args as OneUpload).id, row.file) };
  }

  /** Removes files whose upload is gone. What cannot be removed now is tried again the next time. */
  async sweep(): Promise<void> {
    const ids = async () => (await this.#read("uploads.ids", {})) as readonly UploadId[];
    await this.#files.sweep(ids).catch(() => null);
  }

  async #append(part: AppendPart): Promise<Appended> {
    const { account, id } = part;
    const upload = (await this.#read("uploads.byId", { account, id })) as { readonly size: number } | null;
    // Otherwise a folder would be made for an upload that is not there.
    if (upload === null) return { outcome: "NoUpload", size: 0 };
    const file = await this.#files.write(id, part.bytes);
    if (file === null) return { outcome: "DiskFull", size: upload.size };
    // If this fails, the row may be there all the same: the file stays until the upload is deleted.
    const stored = storedAppend(part, this.#bounds, file);
    const appended = (await this.#write("uploads.append", stored)) as Appended;
    if (appended.outcome !== "Appended") await this.#files.drop(id, file);
    return appended;
  }

  async #delete(one: OneUpload): Promise<unknown> {
    const isDeleted = await this.#write("uploads.delete", one);
    if (isDeleted === true) await this.#files.remove(one.id);
    return isDeleted;
  }
}
