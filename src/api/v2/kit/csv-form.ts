/** How an export is written, as requests say it. */
import { type Static, Type } from "typebox";
import { separators, separatorWords } from "#csv/write-csv.ts";
import { OneOf } from "./schemas.ts";

export const CSV = "text/csv; charset=utf-8";
export const csvForm = {
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
};
const CsvForm = Type.Object(csvForm);
export const toCsvForm = ({ separator, byteOrderMark, spreadsheetSafe }: Static<typeof CsvForm>) => ({
  separator: separators[separator ?? "comma"],
  hasMark: byteOrderMark ?? false,
  isSpreadsheetSafe: spreadsheetSafe ?? false,
});
