/** The members of a list as CSV, page by page, in the form that an import restores unchanged. */
import { csvLine, disarmed } from "#csv/write-csv.ts";
import type { List, ListId } from "#domain/list.ts";
import { collect } from "#domain/paging.ts";
import { listedSuppressions, membershipStatuses } from "#domain/subscriber/subscriber.ts";
import { memberHeader, memberRow, stateOfMember } from "#transfer/export/members.ts";
import { type InAccount, type Performing, query } from "./kit/action.ts";
import { findList } from "./lists.ts";

export const exportStates = [...membershipStatuses, ...listedSuppressions, "all"] as const;

interface ExportList extends InAccount {
  readonly list: ListId;
  readonly state: (typeof exportStates)[number];
  readonly separator: string;
  /** Whether to begin with a byte order mark, by which spreadsheets recognise UTF-8. */
  readonly hasMark: boolean;
  /** Whether to keep spreadsheets from treating cells as formulas. */
  readonly isSpreadsheetSafe: boolean;
}

/** `text` has a piece for the header and for each page; `onRows` gets the number of rows so far. */
interface Exported {
  readonly list: List;
  readonly text: (onRows: (rows: number) => void) => AsyncGenerator<string>;
}

export const exportList = query(
  "list.export",
  "viewer",
  async (admin: Performing, asked: ExportList): Promise<Exported> => {
    const { store } = admin;
    const { account, list, state, separator, hasMark, isSpreadsheetSafe } = asked;
    const found = await findList.run(admin, { account, id: list });
    const fields = await collect(store.fields.all.pages({ account }));
    const line = (cells: readonly string[]): string =>
      csvLine(isSpreadsheetSafe ? cells.map(disarmed) : cells, separator);
    return {
      list: found,
      text: async function* (onRows) {
        let rows = 0;
        yield (hasMark ? "\ufeff" : "") + line(memberHeader(fields));
        for await (const page of store.lists.members.pages({ account, list })) {
          const wanted = page.filter((member) => state === "all" || stateOfMember(member) === state);
          yield wanted.map((member) => line(memberRow(member, fields))).join("");
          rows += wanted.length;
          onRows(rows);
        }
      },
    };
  },
);
