/**
 * The file of rejected rows: line, reason, and the row, so that it can be corrected and imported again. It is
 * opened in a spreadsheet for that, so cells that this would run as formulas are disarmed; an import takes
 * that back. It is created with the first rejected row and gets its name at the end.
 */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { csvLine, disarmed } from "#csv/write-csv.ts";
import { PartialFolder, writeFailure } from "#files/partial-folder.ts";
import { isSameFile } from "#files/same-file.ts";
import { rejectedHeader, rejectedName } from "#transfer/import/rejected-upload.ts";
import { type RejectedTable, Rejections } from "#transfer/import/rejections.ts";
import { type Context, Failure } from "../../kit/command.ts";
import { folderProblem, requireOutputFile } from "../../kit/files.ts";
import { counted, formatNumber, oneLine } from "../../kit/terminal/text.ts";

const BUFFERED = 65_536;
const MAX_NAMES = 100;

/** Beside the input file, or in the working folder for standard input. */
const besideOf = (file: string): string => rejectedName(file === "-" ? "stdin" : file);

interface RejectedFileOptions {
  readonly mayReplace: boolean;
  /** Also cells that a spreadsheet would run as formulas. */
  readonly isUnchanged: boolean;
}

class RejectedFile implements RejectedTable {
  readonly #wanted: string;
  readonly #mayReplace: boolean;
  readonly #cells: (cells: readonly string[]) => readonly string[];
  /** The finished file; null before that, or if nothing was rejected. */
  path: string | null = null;
  header: readonly string[] = [];
  separator = ",";
  #folder: PartialFolder | null = null;
  #descriptor = -1;
  #isClosed = false;
  #text = "";

  /** An existing file may contain corrections: it is replaced only if the user named it. */
  constructor(wanted: string, { mayReplace, isUnchanged }: RejectedFileOptions) {
    this.#wanted = wanted;
    this.#mayReplace = mayReplace;
    this.#cells = isUnchanged ? (cells) => cells : (cells) => cells.map(disarmed);
  }

  /** Rows that arrive after the end, as after an interruption, are ignored. */
  add(line: number, reason: string, cells: readonly string[]): void {
    if (this.#isClosed) return;
    if (this.#folder === null) this.#explained(() => this.#make());
    this.#text += csvLine([String(line), reason, ...this.#cells(cells)], this.separator);
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
    this.#text = rejectedHeader(this.#cells(this.header), this.separator);
  }

  #write(): void {
    const bytes = Buffer.from(this.#text);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
    this.#text = "";
  }

  /** Returns the final name: the requested one, or the first free one with a number. */
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

  /** An incomplete file is removed: importing again rejects the same rows. */
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

/** What a command says and writes about rejected rows: a file, or the first of them in a dry run. */
export class RejectedOutput {
  readonly rejections: Rejections;
  /** null in a dry run. */
  readonly #file: RejectedFile | null;
  readonly #path: string;
  readonly #note: ((line: string) => void) | null;

  constructor({ args, config, option, has, out }: Context) {
    const input = args[0] ?? "-";
    const asked = option("rejected");
    if (asked !== undefined) {
      requireOutputFile(asked, config.database, {
        otherwise: "give --rejected the path of a regular file",
        mayReplace: true,
      });
      if (isSameFile(input === "-" ? process.stdin.fd : input, asked))
        throw new Failure(`${asked} is the file to import; choose another name`);
    }
    this.#note = has("json") ? null : out.note;
    this.#path = asked ?? besideOf(input);
    this.#file = has("dry-run")
      ? null
      : new RejectedFile(this.#path, {
          mayReplace: asked !== undefined,
          isUnchanged: has("rejected-unchanged"),
        });
    this.rejections = new Rejections(this.#file);
  }
  /** Before the first row is imported: afterwards it is too late to choose another folder. */
  requireFolder(): void {
    const problem = this.#file === null ? null : folderProblem(this.#path);
    if (problem !== null)
      throw new Failure(
        `rejected rows cannot be written to ${this.#path}: ${problem}; give --rejected FILE to write them elsewhere`,
      );
  }
  close(): void {
    this.#file?.close();
  }

  /** For scripts. */
  toJSON(): unknown {
    const { count: rowCount, first } = this.rejections;
    const reasons = [...this.rejections.reasons].map(([reason, rows]) => ({ reason, rowCount: rows }));
    return this.#file === null
      ? { rowCount, file: null, reasons, first }
      : { rowCount, file: this.#file.path, reasons };
  }
  /** Fails if a row was rejected, so that scripts notice by the exit code. */
  failWhereAny(): void {
    const { count, first } = this.rejections;
    if (count === 0) return;
    if (this.#file !== null) {
      const rows = counted(count, "row was", "rows were");
      throw new Failure(
        `${rows} rejected and written to ${this.#file.path}; correct that file and import it`,
        "RowsRejected",
      );
    }
    for (const { line, reason } of first) this.#note?.(`line ${line}: ${oneLine(reason)}`);
    const more = count - first.length;
    if (more > 0) this.#note?.(`and ${formatNumber(more)} more`);
    throw new Failure(`${counted(count, "row", "rows")} would be rejected`, "RowsRejected");
  }
}
