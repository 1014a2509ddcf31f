/** Rows that an import could not take: counted by reason, and kept in a file beside. */
import { isSameFile } from "../files/same-file.ts";
import { type Context, Failure } from "./command.ts";
import { counted } from "./numbers.ts";
import { requireOutputFile } from "./output-file.ts";
import { besideOf, RejectedFile } from "./rejected-file.ts";
import { oneLine } from "./terminal-text.ts";

/** Values are left out of reasons, so that there are few; a hostile file could still think of many. */
const MAX_REASONS = 50;
const OTHER = "other reasons";

export class Rejections {
  readonly #file: RejectedFile;
  readonly #reasons = new Map<string, number>();
  count = 0;

  constructor({ args, config, option }: Context) {
    const input = args[0] ?? "-";
    const asked = option("rejected");
    if (asked !== undefined) {
      requireOutputFile(asked, config.database, "give --rejected the name of a file");
      if (isSameFile(input === "-" ? process.stdin.fd : input, asked))
        throw new Failure(`${asked} is the file that is imported; take another name`);
    }
    this.#file = new RejectedFile(asked ?? besideOf(input), asked !== undefined);
  }
  set header(cells: readonly string[]) {
    this.#file.header = cells;
  }
  set separator(separator: string) {
    this.#file.separator = separator;
  }

  add({ line, cells }: { readonly line: number; readonly cells: readonly string[] }, reason: string): void {
    this.count += 1;
    const bare = oneLine(reason).replace(/'.*'/g, "…");
    const kind = this.#reasons.has(bare) || this.#reasons.size < MAX_REASONS ? bare : OTHER;
    this.#reasons.set(kind, (this.#reasons.get(kind) ?? 0) + 1);
    this.#file.add(line, reason, cells);
  }
  close(): void {
    this.#file.close();
  }

  /** The most frequent first. */
  get reasons(): readonly (readonly [reason: string, rows: number])[] {
    return [...this.#reasons].sort(([, a], [, b]) => b - a);
  }
  /** For scripts. */
  toJSON(): unknown {
    return { rows: this.count, file: this.#file.path, reasons: Object.fromEntries(this.reasons) };
  }
  /** The exit code tells scripts that not everything was taken. */
  failWhereAny(): void {
    if (this.count === 0) return;
    const rows = counted(this.count, "row was", "rows were");
    throw new Failure(`${rows} rejected: see ${this.#file.path}, correct it, and import it`, "RowsRejected");
  }
}
