/** What an import does with the rows of a table: a table of subscribers, or one of suppressions. */
import type { SuppressionKind } from "#domain/subscriber/subscriber.ts";
import type { ImportBatcher } from "../import/batcher.ts";
import { dateColumns } from "./columns.ts";
import { type HeaderOptions, requireColumns } from "./header.ts";
import { LastRows } from "./last-rows.ts";
import { addressKeysOf, personReader } from "./read-person.ts";
import type { Work } from "./read-table.ts";
import { suppressionReader } from "./suppressions.ts";

interface Subscribers extends HeaderOptions {
  readonly now: number;
  /** The account's country. */
  readonly country: string | null;
}

export function subscribersWork(batcher: ImportBatcher, { now, country, ...options }: Subscribers): Work {
  const lastRows = new LastRows();
  return {
    onHeader: (header) => {
      const columns = requireColumns(header, options);
      return {
        isHeader: true,
        dateColumns: dateColumns(columns),
        preview: (row) => {
          for (const key of addressKeysOf(columns, row)) lastRows.see(key, row.line);
        },
        rowTaker: (dates) => {
          const read = personReader(columns, { now, dates, country });
          return ({ line, cells }) => {
            const found = read(cells);
            if (typeof found === "string") return found;
            const { key } = found.person.address;
            const block = found.block === null ? null : { pattern: key, at: found.block.at };
            const person = { ...found.person, isDuplicate: !lastRows.isLast(key, line) };
            return batcher.add({ line, cells, person, block });
          };
        },
      };
    },
    onRejected: () => batcher.rejected(),
    onEnd: () => batcher.finish(),
  };
}

/** `as`: the kind of all rows that name none. */
export function suppressionsWork(batcher: ImportBatcher, as: SuppressionKind | null, now: number): Work {
  const readerOf = suppressionReader(as, now);
  return {
    onHeader: (first) => {
      const { isHeader, dateColumn, read } = readerOf(first);
      return {
        isHeader,
        dateColumns: dateColumn === null ? [] : [dateColumn],
        preview: null,
        rowTaker: (dates) => {
          const order = dateColumn === null ? null : (dates[dateColumn] ?? null);
          return ({ line, cells }) => {
            const found = read(cells, order);
            return typeof found === "string" ? found : batcher.add({ line, cells, ...found });
          };
        },
      };
    },
    onRejected: () => batcher.rejected(),
    onEnd: () => batcher.finish(),
  };
}
