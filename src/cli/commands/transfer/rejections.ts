/**
 * The rows that an import rejected: counted by reason, and written to a file, or the first ones shown in a
 * dry run.
 */
import { isSameFile } from "../../../files/same-file.ts";
import { type Context, Failure } from "../../kit/command.ts";
import { folderProblem, requireOutputFile } from "../../kit/files/output-file.ts";
import { counted, formatNumber } from "../../kit/terminal/numbers.ts";
import { oneLine } from "../../kit/terminal/terminal-text.ts";
import { besideOf, RejectedFile } from "./rejected-file.ts";

/** Reasons are counted without values, so that there are few; a hostile file could still cause many. */
const MAX_REASONS = 50;
const OTHER = "other reasons";
/** How many rejected rows a dry run shows; it writes no file. */
const MAX_SHOWN = 10;

interface ShownRow {
  readonly line: number;
  readonly reason: string;
}

export class Rejections {
  /** null in a dry run. */
  readonly #file: RejectedFile | null;
  readonly #path: string;
  readonly #first: ShownRow[] = [];
  readonly #note: ((line: string) => void) | null;
  readonly #reasons = new Map<string, number>();
  count = 0;

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
    this.#file = has("dry-run") ? null : new RejectedFile(this.#path, asked !== undefined);
  }
  /** Before the first row is imported: afterwards it is too late to choose another folder. */
  requireFolder(): void {
    const problem = this.#file === null ? null : folderProblem(this.#path);
    if (problem !== null)
      throw new Failure(
        `rejected rows cannot be written to ${this.#path}: ${problem}; give --rejected FILE to write them elsewhere`,
      );
  }
  set header(cells: readonly string[]) {
    if (this.#file !== null) this.#file.header = cells;
  }
  set separator(separator: string) {
    if (this.#file !== null) this.#file.separator = separator;
  }

  add({ line, cells }: { readonly line: number; readonly cells: readonly string[] }, reason: string): void {
    this.count += 1;
    const bare = oneLine(reason).replace(/'.*'/g, "…");
    const kind = this.#reasons.has(bare) || this.#reasons.size < MAX_REASONS ? bare : OTHER;
    this.#reasons.set(kind, (this.#reasons.get(kind) ?? 0) + 1);
    if (this.#first.length < MAX_SHOWN) this.#first.push({ line, reason });
    this.#file?.add(line, reason, cells);
  }
  close(): void {
    this.#file?.close();
  }

  /** The most frequent first. */
  get reasons(): readonly (readonly [reason: string, rows: number])[] {
    return [...this.#reasons].sort(([, a], [, b]) => b - a);
  }
  /** For scripts. */
  toJSON(): unknown {
    const { count: rows } = this;
    const reasons = Object.fromEntries(this.reasons);
    return this.#file === null
      ? { rows, file: null, reasons, first: this.#first }
      : { rows, file: this.#file.path, reasons };
  }
  /** Fails if a row was rejected, so that scripts notice by the exit code. */
  failWhereAny(): void {
    if (this.count === 0) return;
    if (this.#file !== null) {
      const rows = counted(this.count, "row was", "rows were");
      throw new Failure(
        `${rows} rejected and written to ${this.#file.path}; correct that file and import it`,
        "RowsRejected",
      );
    }
    for (const { line, reason } of this.#first) this.#note?.(`line ${line}: ${oneLine(reason)}`);
    const more = this.count - this.#first.length;
    if (more > 0) this.#note?.(`and ${formatNumber(more)} more`);
    throw new Failure(`${counted(this.count, "row", "rows")} would be rejected`, "RowsRejected");
  }
}
