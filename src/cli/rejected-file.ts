/**
 * Rows that an import could not take, in a file beside: where they stood and why, then the row as it was, so that it
 * can be corrected and given again. Begun with the first of them; it gets its name at the end.
 */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { csvLine } from "../csv/write-csv.ts";
import { PartialFolder } from "../files/partial-folder.ts";
import { writeFailure } from "../files/write-failure.ts";
import { Failure } from "./command.ts";

const BUFFERED = 65_536;
const MAX_NAMES = 100;
/** So that spreadsheets read it as the UTF-8 that it is. */
const MARK = "\ufeff";

/** Beside the file that is read; standard input has no place, so it is the working folder. */
export const besideOf = (file: string): string =>
  file === "-" ? "stdin.rejected.csv" : `${file.replace(/\.(?:csv|tsv|txt)$/i, "")}.rejected.csv`;

export class RejectedFile {
  readonly #wanted: string;
  readonly #mayReplace: boolean;
  /** The file that was made, null where nothing was rejected, or the rows are not all in it yet. */
  path: string | null = null;
  header: readonly string[] = [];
  separator = ",";
  #folder: PartialFolder | null = null;
  #descriptor = -1;
  #isClosed = false;
  #text = "";

  /** One that is there already may be somebody's work by now: only a file that was asked for by name is replaced. */
  constructor(wanted: string, mayReplace: boolean) {
    this.#wanted = wanted;
    this.#mayReplace = mayReplace;
  }

  /** Rows that come after the end, as those of an import that was interrupted may, are left out. */
  add(line: number, reason: string, cells: readonly string[]): void {
    if (this.#isClosed) return;
    if (this.#folder === null) this.#explained(() => this.#make());
    this.#text += csvLine([String(line), reason, ...cells], this.separator);
    if (this.#text.length > BUFFERED) this.#explained(() => this.#write());
  }

  close(): void {
    if (this.#isClosed || this.#folder === null) return;
    const folder = this.#folder;
    this.#explained(() => {
      this.#write();
      fsyncSync(this.#descriptor);
      this.path = this.#publish(folder);
    });
    this.#discard();
  }

  #make(): void {
    this.#folder = PartialFolder.beside(this.#wanted);
    this.#descriptor = openSync(this.#folder.file, "wx", 0o600);
    this.#text = MARK + csvLine(["rejected_line", "rejected_reason", ...this.header], this.separator);
  }

  #write(): void {
    const bytes = Buffer.from(this.#text);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
    this.#text = "";
  }

  /** Gives back the name that it has now: the one that is wanted, or the first of its kind that is free. */
  #publish(folder: PartialFolder): string {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? this.#wanted : this.#wanted.replace(/(\.csv)?$/, `-${number}$1`);
      try {
        folder.publish(name, this.#mayReplace);
        return name;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST" || number === MAX_NAMES) throw error;
      }
    }
  }

  /** What was written so far is of no use: given again, the import rejects the same rows. */
  #explained(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#discard();
      throw new Failure(`the rejected rows cannot be written to ${this.#wanted}: ${writeFailure(error)}`);
    }
  }

  #discard(): void {
    this.#isClosed = true;
    if (this.#descriptor !== -1) closeSync(this.#descriptor);
    this.#folder?.remove();
  }
}
