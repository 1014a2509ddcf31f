/** Subscribers as CSV, page by page, in the form that an import restores unchanged. */
import { csvLine, disarmed } from "#csv/write-csv.ts";
import type { List, ListId } from "#domain/list.ts";
import { collect } from "#domain/paging.ts";
import type { Member } from "#domain/ports/lists.ts";
import { listedSuppressions, membershipStatuses } from "#domain/subscriber/subscriber.ts";
import { memberHeader, memberRow, stateOfMember } from "#transfer/export/members.ts";
import { type InAccount, type Performing, query } from "./kit/action.ts";
import { findList } from "./lists.ts";
import { requireFilter, type SubscriberFilter } from "./subscribers/search.ts";

export const exportStates = [...membershipStatuses, ...listedSuppressions, "all"] as const;

interface CsvForm extends InAccount {
  readonly separator: string;
  /** Whether to begin with a byte order mark, by which spreadsheets recognise UTF-8. */
  readonly hasMark: boolean;
  /** Whether to keep spreadsheets from treating cells as formulas. */
  readonly isSpreadsheetSafe: boolean;
}
/** Has a piece for the header and for each page; `onRows` gets the number of rows so far. */
type CsvText = (onRows: (rows: number) => void) => AsyncGenerator<string>;

async function csvOf(
  { store }: Performing,
  { account, separator, hasMark, isSpreadsheetSafe }: CsvForm,
  pages: () => AsyncIterable<readonly Member[]>,
  isWanted: (member: Member) => boolean = () => true,
): Promise<CsvText> {
  const fields = await collect(store.fields.all.pages({ account }));
  const line = (cells: readonly string[]): string =>
    csvLine(isSpreadsheetSafe ? cells.map(disarmed) : cells, separator);
  return async function* (onRows) {
    let rows = 0;
    yield (hasMark ? "\ufeff" : "") + line(memberHeader(fields));
    for await (const page of pages()) {
      const wanted = page.filter(isWanted);
      yield wanted.map((member) => line(memberRow(member, fields))).join("");
      rows += wanted.length;
      onRows(rows);
    }
  };
}

interface ExportList extends CsvForm {
  readonly list: ListId;
  readonly state: (typeof exportStates)[number];
}

export const exportList = query(
  "list.export",
  "viewer",
  async (admin, asked: ExportList): Promise<{ readonly list: List; readonly text: CsvText }> => {
    const { account, list, state } = asked;
    const found = await findList.run(admin, { account, id: list });
    const pages = () => admin.store.lists.members.pages({ account, list });
    const isWanted = (member: Member): boolean => state === "all" || stateOfMember(member) === state;
    return { list: found, text: await csvOf(admin, asked, pages, isWanted) };
  },
);

/** Those that a filter finds. Without a list in it, they joined when they became subscribers. */
export const exportSubscribers = query(
  "subscriber.bulkExport",
  "viewer",
  async (admin, asked: SubscriberFilter & CsvForm): Promise<{ readonly text: CsvText }> => {
    const search = { account: asked.account, ...(await requireFilter(admin, asked)) };
    const { list, state } = search;
    // Who has not confirmed yet is found as a member, too, but is not active there.
    const isWanted = (member: Member): boolean =>
      list === null || state === null || stateOfMember(member) === state;
    const pages = () => admin.store.subscribers.found.pages(search);
    return { text: await csvOf(admin, asked, pages, isWanted) };
  },
);
