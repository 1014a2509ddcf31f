/** What a command says and writes about rejected rows: a file, or the first of them in a dry run. */
import { isSameFile } from "#files/same-file.ts";
import { Rejections } from "#transfer/import/rejections.ts";
import { type Context, Failure } from "../../kit/command.ts";
import { folderProblem, requireOutputFile } from "../../kit/files/output-file.ts";
import { counted, formatNumber } from "../../kit/terminal/numbers.ts";
import { oneLine } from "../../kit/terminal/terminal-text.ts";
import { besideOf, RejectedFile } from "./rejected-file.ts";

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
