/** CSV for a spreadsheet: the same rows, without cells that it would run as formulas. */
import { readCsv } from "./read-csv.ts";
import { csvLine, disarmed } from "./write-csv.ts";

/** By which spreadsheets recognise UTF-8. */
const MARK = "\ufeff";

/** Throws CsvError. */
export async function* disarmCsv(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let separator = ",";
  const onSeparator = (found: string): void => {
    separator = found;
  };
  yield MARK;
  for await (const rows of readCsv(bytes, { encoding: null, separator: null, onSeparator }))
    yield rows.map(({ cells }) => csvLine(cells.map(disarmed), separator)).join("");
}
