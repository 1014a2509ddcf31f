/** What an import does with the rows of a table: a table of subscribers, or one of suppressions. */
import type { Field } from "#domain/field/field.ts";
import type { SuppressionKind } from "#domain/subscriber/subscriber.ts";
import type { ImportBatcher } from "../import/batcher.ts";
import { type HeaderOptions, type ReadColumns, requireColumns, targetName } from "./column-mapping.ts";
import { dateColumns } from "./columns.ts";
import { DECIDING_ROWS, StatesLeftOut } from "./meanings-by-values.ts";
import { NewFields } from "./new-fields.ts";
import { TableProblem } from "./problem.ts";
import { addressKeysOf, NameExamples, personReader, quoted, WholeColumns } from "./read-person.ts";
import type { TableImporter } from "./read-table.ts";
import { suppressionReader } from "./suppressions.ts";

/**
 * Finds duplicate rows: if an address is in several rows of a file, the last one counts. The first pass
 * records every address, the second one queries. A Bloom filter of fixed size detects new addresses, so that
 * only duplicates are stored, with few false positives: one in a thousand at ten million rows. A service
 * reads the files of everybody who may upload one, so the duplicates have a limit, too.
 */
const FILTER_BITS = 2 ** 27;
const HASHES = 4;
/** Each takes about 100 bytes. With 30 million rows, as many are false positives. */
export const MAX_DUPLICATES = 1_000_000;

export class LastRows {
  readonly #filter = new Uint32Array(FILTER_BITS / 32);
  /** The last row of each address that occurred more than once. */
  readonly #last = new Map<string, number>();

  see(key: string, line: number): void {
    if (!this.#filterHas(key)) return;
    this.#last.set(key, line);
    if (this.#last.size > MAX_DUPLICATES) throw new TableProblem({ kind: "many duplicates" });
  }

  isLast(key: string, line: number): boolean {
    return (this.#last.get(key) ?? line) === line;
  }

  /** Adds an address to the filter, and returns whether it was already in it. */
  #filterHas(key: string): boolean {
    let [one, other] = [0x811c9dc5, 0x9747b28c];
    for (let at = 0; at < key.length; at += 1) {
      const code = key.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul(other ^ code, 0x5bd1e995);
      other ^= other >>> 15;
    }
    let wasThere = true;
    for (let n = 0; n < HASHES; n += 1) {
      const bit = (one + Math.imul(n, other | 1)) >>> 5;
      const index = bit >>> 5;
      const mask = 1 << (bit & 31);
      const word = this.#filter[index] ?? 0;
      if ((word & mask) === 0) wasThere = false;
      this.#filter[index] = word | mask;
    }
    return wasThere;
  }
}

interface Subscribers extends HeaderOptions {
  readonly now: number;
  /** The account's country. */
  readonly country: string | null;
  /** How many fields the account may have; null: no limit. */
  readonly fieldLimit: number | null;
  /** Whether a value that is not valid rejects its row. */
  readonly isStrict: boolean;
}

const MAX_NAMED = 20;
/** What is read without being asked for, and what is not read. */
function namedOf(headings: readonly string[]): string {
  const named = headings.slice(0, MAX_NAMED).map((heading) => `'${heading.trim()}'`);
  const more = headings.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
function notesOf(
  { columns, product, byValues, leftOut, refused }: ReadColumns,
  fields: readonly Field[],
): readonly string[] {
  const saysStates = columns.some(({ kind }) => kind === "state" || kind === "suppression");
  return [
    ...(product === null
      ? []
      : [
          `the file was exported from ${product.label}: its columns and states are read as in ${product.label}`,
          ...(product.note === null ? [] : [product.note]),
          ...(saysStates || product.hasFilePerState
            ? []
            : [
                "the file does not say who has unsubscribed or bounced: everybody is imported as active, except for suppressions that are imported before",
              ]),
        ]),
    ...byValues.map(
      ([name, column]) =>
        `the column '${name.trim()}' is read as ${targetName(column, fields)}, because nearly all of its first values are that; if it is something else, map it`,
    ),
    ...(leftOut.length === 0
      ? []
      : [
          `these columns are not imported: ${namedOf(leftOut)}; to import one, create a custom field with the same name first, or map the column`,
        ]),
    ...(refused.length === 0
      ? []
      : [`as it was chosen, these columns are not imported: ${namedOf(refused)}`]),
  ];
}

const SHOWN_ROWS = 3;
/** What is read from each column of a table without headings. */
const columnExamples = (
  { names, columns }: ReadColumns,
  fields: readonly Field[],
  rows: readonly (readonly string[])[],
): readonly string[] =>
  columns.map((column, index) => {
    const values = rows.map((cells) => quoted(cells[index]?.trim() ?? ""));
    return `the column ${names[index]?.trim() ?? ""} is read as ${targetName(column, fields)}: ${values.join(", ")}`;
  });

export function subscriberImporter(
  batcher: ImportBatcher,
  { now, country, fieldLimit, isStrict, ...options }: Subscribers,
): TableImporter {
  const lastRows = new LastRows();
  return {
    // With the headings.
    decidingRows: DECIDING_ROWS + 1,
    onBeginning: (rows) => {
      const read = requireColumns(rows, options);
      const { names: header, isHeader, columns } = read;
      const whole = new WholeColumns(columns);
      const names = new NameExamples(columns);
      const firstRows: (readonly string[])[] = [];
      const newFields = new NewFields(header, columns, { fields: options.fields, fieldLimit });
      const statesLeftOut = new StatesLeftOut(header, columns);
      // If it is the row of a person, it is not kept.
      const isOfPerson = header.some((cell) => cell.includes("@"));
      const nameOf = (index: number): string =>
        isOfPerson ? `column ${index + 1}` : (header[index]?.trim() ?? "");
      return {
        names: header,
        // Not a number alone, which may be the id of a field.
        rejectedHeader: isHeader ? (rows[0]?.cells ?? []) : header.map((name) => `Column ${name}`),
        isHeader,
        notes: () => {
          if (read.mayLeaveOutNoState) statesLeftOut.requireNone(read.leftOut);
          return isOfPerson
            ? []
            : [
                ...notesOf(read, options.fields),
                ...newFields.notes(),
                ...header
                  .filter((_, index) => whole.isNoWhereEmpty(index))
                  .map(
                    (heading) =>
                      `in the column '${heading.trim()}' an empty cell means no, because no cell says no: these people are unsubscribed`,
                  ),
                ...statesLeftOut.notes(),
                ...(read.mayLeaveOutNoState ? statesLeftOut.notesOfAnswers(read.leftOut) : []),
              ];
        },
        examples: () => [
          ...(options.hasHeader ? [] : columnExamples(read, options.fields, firstRows)),
          ...names.found.map(
            (one) => `the name '${one.whole}' is split into '${one.first}' and '${one.last}'`,
          ),
        ],
        dateColumns: dateColumns(columns),
        preview: (row) => {
          whole.look(row);
          statesLeftOut.look(row.cells);
          newFields.look(row);
          names.look(row);
          if (firstRows.length < SHOWN_ROWS) firstRows.push(row.cells);
          for (const key of addressKeysOf(columns, row)) lastRows.see(key, row.line);
        },
        rowTaker: async (dates) => {
          const withFields = await newFields.create((field) => batcher.createField(field));
          const readRow = personReader(withFields, { now, dates, country, whole, isStrict });
          return ({ line, cells }) => {
            const found = readRow(cells);
            if (typeof found === "string") return found;
            for (const { index, attribute, reason } of found.leftOut)
              batcher.leaveOut(
                line,
                attribute === undefined ? nameOf(index) : `${nameOf(index)}: ${attribute}`,
                reason,
              );
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
export function suppressionImporter(
  batcher: ImportBatcher,
  as: SuppressionKind | null,
  now: number,
): TableImporter {
  const readerOf = suppressionReader(as, now);
  return {
    decidingRows: 1,
    onBeginning: ([row]) => {
      const first = row?.cells ?? [];
      const { isHeader, dateColumn, read } = readerOf(first);
      return {
        names: first,
        // Without headings, the addresses are in the first column.
        rejectedHeader: isHeader ? first : ["email"],
        isHeader,
        notes: () => [],
        examples: () => [],
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
