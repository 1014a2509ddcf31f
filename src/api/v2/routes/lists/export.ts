/** The members of a list as a CSV file. */
import { Type } from "typebox";
import { exportList, exportStates } from "#admin/export.ts";
import { separators, separatorWords } from "#csv/write-csv.ts";
import { streamRoute } from "../../kit/route.ts";
import { OneOf } from "../../kit/schemas.ts";

export const listExportRoute = streamRoute({
  method: "GET",
  path: "/accounts/{account}/lists/{list}/export",
  tag: "Lists",
  summary: "Export the subscribers of a list as CSV",
  description:
    "With `state=all`, you can import the file to restore the same data. The list is read page by page, so changes during the export may be included or not. If the connection breaks, the file is incomplete.",
  action: exportList,
  query: Type.Object({
    state: Type.Optional({
      ...OneOf(exportStates, "Which subscribers: those in this state, `pending` ones, or `all`."),
      default: "active",
    }),
    separator: Type.Optional({
      ...OneOf(separatorWords, "The character between columns."),
      default: "comma",
    }),
    byteOrderMark: Type.Optional(
      Type.Boolean({
        description: "Whether the file begins with a byte order mark, by which spreadsheets recognise UTF-8.",
        default: false,
      }),
    ),
    spreadsheetSafe: Type.Optional(
      Type.Boolean({
        description:
          "Whether cells that begin with =, +, - or @ get a ' in front, so that spreadsheets do not treat them as formulas. Do not import such a file.",
        default: false,
      }),
    ),
  }),
  args: ({ params, query }) => ({
    ...params,
    state: query.state ?? "active",
    separator: separators[query.separator ?? "comma"],
    hasMark: query.byteOrderMark ?? false,
    isSpreadsheetSafe: query.spreadsheetSafe ?? false,
  }),
  contentType: "text/csv; charset=utf-8",
  stream: ({ list, text }) => ({ fileName: `list-${list.id}.csv`, chunks: text(() => {}) }),
});
