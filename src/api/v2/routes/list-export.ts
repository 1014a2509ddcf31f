/** The members of a list as a CSV file. */
import { Type } from "typebox";
import { exportList, exportStates } from "../../../admin/export.ts";
import { streamRoute } from "../kit/route.ts";
import { OneOf } from "../kit/schemas.ts";

const separators = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;

export const listExportRoute = streamRoute({
  method: "GET",
  path: "/accounts/{account}/lists/{list}/export",
  tag: "Lists",
  summary: "Export the subscribers of a list as CSV",
  description:
    "With `state=all`, an import of the file restores the same data. The list is read page by page, not as one snapshot. If the connection breaks off, the file is incomplete.",
  action: exportList,
  query: Type.Object({
    state: Type.Optional({
      ...OneOf(exportStates, "Only subscribers in this state, pending ones, or all."),
      default: "active",
    }),
    separator: Type.Optional({
      ...OneOf(Object.keys(separators) as (keyof typeof separators)[], "Between columns."),
      default: "comma",
    }),
    byteOrderMark: Type.Optional(
      Type.Boolean({
        description: "Begin with the mark by which spreadsheets recognise UTF-8.",
        default: false,
      }),
    ),
    spreadsheetSafe: Type.Optional(
      Type.Boolean({
        description:
          "Prefix cells that begin with =, +, - or @ with ', so that spreadsheets do not treat them as formulas. Do not import such a file.",
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
