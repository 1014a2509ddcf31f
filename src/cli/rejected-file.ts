/**
 * Rows that an import could not take, in a file beside: where they stood and why, then the row as it was, so that it
 * can be corrected and given again. Made with the first of them.
 */
import { closeSync, constants, fstatSync, openSync, rmSync, writeSync } from "node:fs";
import { csvLine } from "../csv/write-csv.ts";
import { Failure } from "./command.ts";

const BUFFERED = 65_536;
/** So that spreadsheets read it as the UTF-8 that it is. */
const MARK = "\ufeff";

/** Beside the file that is read; standard input has no place, so it is the working folder. */
export const besideOf = (file: string): string =>
  file === "-" ? "stdin.rejected.csv" : `${file.replace(/\.(?:csv|tsv|txt)$/i, "")}.rejected.csv`;

export class RejectedFile {
  readonly #wanted: string;
  readonly #mayReplace: boolean;
  /** The file that was made, null where nothing was rejected. */
  path: string | null = null;
  header: readonly string[] = [];
  separator = ",";
  #descriptor = -1;
  #text = "";

  /** One that is there already may be somebody's work by now: only a file that was asked for by name is replaced. */
  constructor(wanted: string, mayReplace: boolean) {
    this.#wanted = wanted;
    this.#mayReplace = mayReplace;
  }

  add(line: number, reason: string, cells: readonly string[]): void {
    if (this.path === null) this.#make();
    this.#text += csvLine([String(line), reason, ...cells], this.separator);
    if (this.#text.length > BUFFERED) this.#write();
  }

  close(): void {
    if (this.path === null) return;
    this.#write();
    closeSync(this.#descriptor);
  }

  #make(): void {
    for (let number = 1; this.path === null; number += 1) {
      const path = number === 1 ? this.#wanted : this.#wanted.replace(/(\.csv)?$/, `-${number}$1`);
      try {
        this.#descriptor = this.#open(path);
        this.path = path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST" || number === 100) throw this.#failure(error);
      }
    }
    this.#text = MARK + csvLine(["rejected_line", "rejected_reason", ...this.header], this.separator);
  }

  /** Always a file of its own, readable by its owner only: never one that a link leads to, or that others may read. */
  #open(path: string): number {
    if (this.#mayReplace) {
      const device = openDevice(path);
      if (device !== null) return device;
      rmSync(path, { force: true });
    }
    return openSync(path, "wx", 0o600);
  }

  #write(): void {
    try {
      const bytes = Buffer.from(this.#text);
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
      this.#text = "";
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): Failure {
    return new Failure(
      `the rejected rows cannot be written to ${this.path ?? this.#wanted}: ${(error as Error).message}`,
    );
  }
}

/** A terminal, a pipe or the like, which is written to and not replaced; null where there is none of that name. */
function openDevice(path: string): number | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_WRONLY);
  } catch (error) {
    if (["ENOENT", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
  if (!fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  return null;
}
