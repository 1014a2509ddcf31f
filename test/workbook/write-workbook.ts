/** Workbooks for tests, with whatever is in their parts; also archives that no program would write. */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipFile {
  readonly name: string;
  readonly bytes: Buffer;
  /** What the archive says of its size; null: the truth. */
  readonly claimedSize?: number;
  readonly isEncrypted?: boolean;
}

export function zipOf(files: readonly ZipFile[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, claimedSize, isEncrypted = false } of files) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isEncrypted ? 1 : 0, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize ?? bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), common, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships";

const relationships = (all: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}">${all
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;

export interface WorkbookSheet {
  readonly name: string;
  /** The XML within sheetData. */
  readonly rows: string;
  readonly isHidden?: boolean;
}
interface WorkbookParts {
  readonly sheets: readonly WorkbookSheet[];
  /** The XML of each, within si. */
  readonly texts?: readonly string[];
  /** The codes of formats. A cell of style 0 has none; style n has the nth, from 1. A number is built in. */
  readonly formats?: readonly (string | number)[];
  readonly is1904?: boolean;
}

/** By the names of the parts. */
export function workbookParts({
  sheets,
  texts = [],
  formats = [],
  is1904 = false,
}: WorkbookParts): Readonly<Record<string, string>> {
  const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const codes = formats.map((code, index) =>
    typeof code === "number" ? "" : `<numFmt numFmtId="${164 + index}" formatCode="${escaped(code)}"/>`,
  );
  const styles = formats.map(
    (code, index) => `<xf numFmtId="${typeof code === "number" ? code : 164 + index}"/>`,
  );
  return {
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": relationships([["rId1", "officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr date1904="${is1904}"/><sheets>${sheets
      .map(
        ({ name, isHidden = false }, index) =>
          `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"${isHidden ? ' state="hidden"' : ""}/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships([
      ...sheets.map(
        (_, index) => [`rId${index + 1}`, "worksheet", `worksheets/sheet${index + 1}.xml`] as const,
      ),
      ["styles", "styles", "styles.xml"],
      ["texts", "sharedStrings", "/xl/sharedStrings.xml"],
    ]),
    "xl/styles.xml": `<styleSheet xmlns="${MAIN}"><numFmts>${codes.join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join("")}</cellXfs></styleSheet>`,
    "xl/sharedStrings.xml": `<sst xmlns="${MAIN}">${texts.map((text) => `<si>${text}</si>`).join("")}</sst>`,
    ...Object.fromEntries(
      sheets.map(({ rows }, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  };
}

export const packed = (parts: Readonly<Record<string, string>>): Buffer =>
  zipOf(Object.entries(parts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })));

/** Cells with their texts in place. */
export const textRow = (...cells: readonly string[]): string =>
  `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join("")}</row>`;

/** A workbook with one sheet of texts. */
export const workbookOf = (rows: readonly (readonly string[])[]): Buffer =>
  packed(workbookParts({ sheets: [{ name: "People", rows: rows.map((row) => textRow(...row)).join("") }] }));
