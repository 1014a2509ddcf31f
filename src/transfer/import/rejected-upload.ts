/**
 * The table of rejected rows of an import without a file: an upload that the import writes. It has the form
 * that the command line gives the file of rejected rows, so that it can be corrected and imported again.
 */
import { csvLine } from "#csv/write-csv.ts";
import type { ImportId } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Clock } from "#domain/clocks.ts";
import { MAX_PART_BYTES, type UploadId } from "#domain/import/upload.ts";
import type { Uploads } from "#domain/ports/uploads.ts";
import { rejectedColumns } from "../table/known-headings.ts";
import type { RejectedTable } from "./rejections.ts";

/** Byte order mark, by which spreadsheets recognize UTF-8. */
const MARK = "\ufeff";
/** Rejected rows are written when they are as long as this. */
const BUFFERED = 1024 ** 2;
/** The table is cut there; the number of rejected rows is right all the same. */
const MAX_BYTES = 64 * 1024 ** 2;

export interface RejectedUploadState {
  /** null: no row was rejected yet. */
  readonly id: UploadId | null;
  readonly bytes: number;
  /** Not all rejected rows are in it. */
  readonly isCut: boolean;
}

export const rejectedHeader = (header: readonly string[], separator: string): string =>
  MARK + csvLine([...rejectedColumns, ...header], separator);

/** The name of the table for the rejected rows of a file. */
export const rejectedName = (fileName: string): string =>
  `${fileName.replace(/\.(?:csv|tsv|txt|xlsx)$/i, "")}.rejected.csv`;

interface RejectedUploadOptions {
  readonly account: AccountId;
  readonly name: string;
  /** null: a dry run. */
  readonly batch: ImportId | null;
  readonly clock: Clock;
}

export class RejectedUpload implements RejectedTable {
  header: readonly string[] = [];
  separator = ",";
  readonly #uploads: Uploads;
  readonly #account: AccountId;
  readonly #name: string;
  readonly #batch: ImportId | null;
  readonly #clock: Clock;
  #text = "";
  #state: RejectedUploadState;

  constructor(
    uploads: Uploads,
    { account, name, batch, clock }: RejectedUploadOptions,
    before: RejectedUploadState | null,
  ) {
    this.#uploads = uploads;
    this.#account = account;
    this.#name = name;
    this.#batch = batch;
    this.#clock = clock;
    this.#state = before ?? { id: null, bytes: 0, isCut: false };
  }

  get state(): RejectedUploadState {
    return this.#state;
  }
  get isFull(): boolean {
    return this.#text.length >= BUFFERED;
  }

  add(line: number, reason: string, cells: readonly string[]): void {
    if (!this.#state.isCut) this.#text += csvLine([String(line), reason, ...cells], this.separator);
  }

  /** The rows since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** Resolves when the rows are durable. */
  async write(rows: string): Promise<void> {
    if (rows === "" || this.#state.isCut) return;
    const id = this.#state.id ?? (await this.#create());
    if (id === null) return;
    const head = this.#state.bytes === 0 ? rejectedHeader(this.header, this.separator) : "";
    const bytes = Buffer.from(head + rows);
    for (let at = 0; at < bytes.length; at += MAX_PART_BYTES)
      if (!(await this.#append(id, bytes.subarray(at, at + MAX_PART_BYTES)))) break;
  }

  /** After the last row. */
  async finish(): Promise<void> {
    const { id } = this.#state;
    if (id !== null) await this.#uploads.finish({ account: this.#account, id, at: this.#clock() });
  }

  async #create(): Promise<UploadId | null> {
    const asked = { account: this.#account, name: this.#name, expectedSize: null, rejectedBy: this.#batch };
    const created = await this.#uploads.create({ ...asked, at: this.#clock() });
    if (typeof created === "string") this.#state = { ...this.#state, isCut: true };
    else this.#state = { ...this.#state, id: created.id };
    return this.#state.id;
  }

  /** False: the table is cut. */
  async #append(id: UploadId, bytes: Buffer): Promise<boolean> {
    const { bytes: offset } = this.#state;
    if (offset + bytes.length > MAX_BYTES) return this.#cut();
    const part = { account: this.#account, id, offset, bytes, at: this.#clock() };
    const { outcome, size } = await this.#uploads.append(part);
    // Before an interruption, the same rows were written with others that the store had rejected.
    const isThere = outcome === "WrongOffset" && size > offset;
    if (!isThere && outcome !== "Appended" && outcome !== "Repeated") return this.#cut();
    this.#state = { ...this.#state, bytes: isThere ? size : offset + bytes.length };
    return true;
  }

  #cut(): false {
    this.#state = { ...this.#state, isCut: true };
    return false;
  }
}
