/** The form that says what a file means: its columns, where they go, and how the file is read. */
import type { Preview } from "#admin/imports/start-import.ts";
import { separatorWord } from "#csv/write-csv.ts";
import type { List } from "#domain/list.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { parseName } from "#domain/text.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import {
  type Option,
  type OptionGroup,
  radioGroup,
  selectField,
  textField,
} from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import type { FormState } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import { uploadTexts } from "./outcomes.ts";
import {
  columnName,
  datesName,
  encodings,
  FULL_NAME,
  IGNORE,
  NEW_FIELD,
  NEW_LIST,
  NO_HEADINGS,
  type Reading,
  settingsTexts,
  shownHeading,
  standardColumns,
  suppressionColumns,
} from "./settings.ts";

interface Settings {
  readonly preview: Preview;
  readonly reading: Reading;
  readonly shown: FormState;
  readonly lists: readonly List[];
  /** As in the last run; null: there was none. */
  readonly list: string | null;
  /** What the last run has planned. */
  readonly newList: string;
  readonly overwrite: boolean;
  readonly as: string;
  /** Whether there was a run, whose columns are not guesses any more. */
  readonly isRepeated: boolean;
}

const options = ({ targets, hasHeader }: Preview): readonly (Option | OptionGroup)[] => {
  const [standard, fields] = [true, false].map((isStandard) =>
    targets
      .filter(({ column, field }) => (field === null) === isStandard && column !== NEW_FIELD)
      .map(({ column, field }) => ({
        value: column,
        label: field ?? standardColumns[column] ?? column,
      })),
  );
  return [
    { value: IGNORE, label: "Do not import" },
    { group: "Standard fields", options: standard ?? [] },
    ...(fields === undefined || fields.length === 0 ? [] : [{ group: "Custom fields", options: fields }]),
    ...(hasHeader
      ? [{ group: "Other", options: [{ value: NEW_FIELD, label: "New text field with this name" }] }]
      : []),
  ];
};

type PreviewedColumn = Preview["columns"][number];

function columnSelect(
  { preview, shown, isRepeated }: Settings,
  { column, heading, samples }: PreviewedColumn,
  index: number,
): Html {
  const name = columnName(index);
  // The other columns of an export are what somebody has collected there.
  const isField = preview.product !== null && samples.length > 0 && parseName(heading ?? "") !== null;
  const ownData = isField ? NEW_FIELD : null;
  const guess = column ?? (isRepeated ? null : ownData) ?? IGNORE;
  return selectField({
    ...shown.field(name, guess),
    label: `Import the column "${isolated(shownHeading(preview.columns, index))}" as`,
    hidesLabel: true,
    options: options(preview),
    hint: guess === FULL_NAME ? uploadTexts.splitNames(preview.names).join(" ") || null : null,
    isOptional: true,
    width: "medium",
  });
}

function dateCell({ preview, shown }: Settings, { dates }: PreviewedColumn, index: number): Html | string {
  if (dates === null) return "";
  if (dates === "ymd") return "Year first";
  const name = datesName(index);
  const isOpen = dates === "ambiguous" || dates === "mixed";
  return html`${isOpen ? null : badge(settingsTexts.recognised[dates], "neutral")}${
    isOpen || shown.value(name) !== ""
      ? selectField({
          ...shown.field(name, isOpen ? "" : dates),
          label: `How the dates of "${isolated(shownHeading(preview.columns, index))}" are written`,
          hidesLabel: true,
          options: [
            { value: "", label: "Detect" },
            { value: "dmy", label: "Day first: 31/12/2026" },
            { value: "mdy", label: "Month first: 12/31/2026" },
          ],
          hint:
            dates === "mixed" ? settingsTexts.mixed : dates === "ambiguous" ? settingsTexts.ambiguous : null,
          isOptional: true,
          width: "medium",
        })
      : null
  }`;
}

function columnsTable(settings: Settings): Html {
  const { columns } = settings.preview;
  const isMapped = settings.reading.kind === "subscribers";
  const hasDates = columns.some(({ dates }) => dates !== null);
  const rows = columns.map((column, index) => ({ column, index }));
  return table({
    caption: "Columns",
    rows,
    columns: [
      { label: "In the file", cell: ({ index }) => shownHeading(columns, index) },
      {
        label: "Examples",
        cell: ({ column }) => html`<span class="examples">${column.samples.map(isolated).join(" · ")}</span>`,
      },
      {
        label: "Import as",
        cell: ({ column, index }) =>
          isMapped
            ? columnSelect(settings, column, index)
            : (suppressionColumns[column.column ?? ""] ?? "Do not import"),
      },
      ...(hasDates
        ? [
            {
              label: "Dates",
              cell: ({ column, index }: (typeof rows)[number]) => dateCell(settings, column, index),
            },
          ]
        : []),
    ],
  });
}

function target({ shown, lists, list, newList, overwrite }: Settings): Html {
  return html`<div class="form"><div class="form or-new">${selectField({
    ...shown.field("list", list ?? (lists.length === 0 ? NEW_LIST : "")),
    label: "List",
    options: [
      ...(list === null && lists.length > 0 ? [{ value: "", label: "Choose a list" }] : []),
      ...lists.map(({ id, name }) => ({ value: String(id), label: name })),
      { value: NEW_LIST, label: "A new list …" },
    ],
    width: "medium",
  })}${textField({
    ...shown.field("newList", newList),
    label: "Name of the new list",
    hint: "It is created when the import starts.",
    isOptional: "while hidden",
    width: "medium",
  })}</div>${radioGroup({
    name: "overwrite",
    label: "If a subscriber already has a different value",
    value: shown.value("overwrite", overwrite ? "file" : "here"),
    options: [
      {
        value: "here",
        label: "Keep values that were entered here",
        hint: "That is in the console, by a program or by the subscriber. Values from earlier imports are replaced.",
      },
      { value: "file", label: "Use the value from the file", hint: "Empty cells replace nothing." },
    ],
  })}</div>`;
}

const suppressionTarget = ({ shown, as }: Settings): Html =>
  selectField({
    ...shown.field("as", as),
    label: "Why they must not be mailed",
    hint: "For rows without a reason of their own.",
    options: [
      { value: "", label: "As the file says (column kind)" },
      ...suppressionKinds.map((value) => ({ value, label: settingsTexts.kinds[value] })),
    ],
    isOptional: true,
    width: "medium",
  });

export function settingsForm(settings: Settings): Html {
  const { shown, reading } = settings;
  const isMapped = reading.kind === "subscribers";
  const body = html`${section("Columns", columnsTable(settings), {
    description: isMapped
      ? "Choose what each column of the file means. Only what is certain is filled in."
      : null,
  })}
${section("Import into", isMapped ? target(settings) : suppressionTarget(settings))}
<div class="part form">${buttonRow(button({ label: "Start the dry run", emphasis: "primary" }))}<p class="field-hint">A dry run changes nothing. It shows what the import would do with each row.</p></div>`;
  return formOf("check", { state: shown, body, look: "plain" });
}

interface Format {
  readonly reading: Reading;
  /** What was found in the file; null: it cannot be read. */
  readonly found: Pick<Preview, "separator" | "sheets"> | null;
}

/** A GET: how the file is read is part of the address. */
export function formatForm({ reading, found }: Format): Html {
  const sheets = found?.sheets ?? null;
  return html`<form method="get" class="inline-form"><input type="hidden" name="contains" value="${reading.kind}">${
    sheets === null ? textFormat(reading, found?.separator ?? null) : sheetFormat(sheets)
  }${reading.kind === "subscribers" ? headingsField(reading) : null}${button({ label: "Read again" })}</form>`;
}

const headingsField = ({ hasHeader }: Reading): Html =>
  selectField({
    name: "headings",
    label: "Headings",
    value: hasHeader ? "first" : NO_HEADINGS,
    options: [
      { value: "first", label: "The first row has them" },
      { value: NO_HEADINGS, label: "There are none" },
    ],
  });

const sheetFormat = ({ names, name }: NonNullable<Preview["sheets"]>): Html =>
  selectField({
    ...{ name: "sheet", label: "Sheet", value: name },
    // A hidden one can be named in the address.
    options: [...new Set([...names, name])].map((value) => ({ value, label: value })),
  });

function textFormat(reading: Reading, separator: string | null): Html {
  const word = separator === null ? null : separatorWord(separator);
  return html`${selectField({
    name: "separator",
    label: "Separator",
    value: reading.separator === null ? "" : (separatorWord(reading.separator) ?? ""),
    options: [
      {
        value: "",
        label:
          reading.separator === null && word !== null
            ? `Detect (${settingsTexts.separators[word].toLowerCase()})`
            : "Detect",
      },
      ...Object.entries(settingsTexts.separators).map(([value, label]) => ({ value, label })),
    ],
    isOptional: true,
  })}${selectField({
    name: "encoding",
    label: "Encoding",
    value: reading.encoding ?? "",
    options: [
      { value: "", label: "Detect" },
      ...Object.entries(encodings).map(([value, label]) => ({ value, label })),
    ],
    isOptional: true,
  })}`;
}

const SHOWN_ROWS = 5;

export function firstRows({ columns, rows }: Preview): Html {
  if (rows.length === 0) return html`<p>The file has headings, but no rows.</p>`;
  return table({
    caption: "The first rows",
    isWide: true,
    rows: rows.slice(0, SHOWN_ROWS),
    columns: columns.map((_, index) => ({
      label: shownHeading(columns, index),
      cell: (cells: readonly string[]) => cells[index] ?? "",
    })),
  });
}
