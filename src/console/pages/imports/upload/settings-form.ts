/** The form that says what a file means: its columns, where they go, and how the file is read. */
import type { Preview } from "#admin/imports/start-import.ts";
import { separatorWord } from "#api/v2/kit/separators.ts";
import type { ShownForm } from "#console/kit/forms/form.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import type { List } from "#domain/list.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
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
import * as texts from "./settings.texts.ts";
import {
  columnName,
  datesName,
  IGNORE,
  NEW_FIELD,
  NEW_LIST,
  type Reading,
  shownHeading,
} from "./settings.ts";

export interface Settings {
  readonly preview: Preview;
  readonly reading: Reading;
  readonly shown: ShownForm;
  readonly lists: readonly List[];
  /** As in the last run; null: there was none. */
  readonly list: string | null;
  /** What the last run has planned. */
  readonly newList: string;
  readonly newFields: readonly string[];
  readonly overwrite: boolean;
  readonly as: string;
  /** Whether there was a run, whose columns are not guesses any more. */
  readonly isRepeated: boolean;
}

const options = ({ targets }: Preview, isIgnorable: boolean): readonly (Option | OptionGroup)[] => {
  const [standard, fields] = [true, false].map((isStandard) =>
    targets
      .filter(({ field }) => (field === null) === isStandard)
      .map(({ column, field }) => ({
        value: column,
        label: field ?? texts.standardColumns[column] ?? column,
      })),
  );
  return [
    ...(isIgnorable ? [{ value: IGNORE, label: texts.ignored }] : []),
    { group: texts.standard, options: standard ?? [] },
    ...(fields === undefined || fields.length === 0 ? [] : [{ group: texts.fields, options: fields }]),
    { group: texts.others, options: [{ value: NEW_FIELD, label: texts.newField }] },
  ];
};

type PreviewedColumn = Preview["columns"][number];

function columnSelect(
  { preview, shown, isRepeated, newFields }: Settings,
  { column, heading, suggestion }: PreviewedColumn,
  index: number,
): Html {
  const name = columnName(index);
  const isNew = newFields.includes(heading?.trim() ?? "");
  const guess = isNew ? NEW_FIELD : (column ?? (isRepeated ? null : suggestion) ?? IGNORE);
  return selectField({
    name,
    label: texts.becomesOf(shownHeading(preview.columns, index)),
    hidesLabel: true,
    value: shown.value(name, guess),
    options: options(preview, true),
    error: shown.problem(name),
    isOptional: true,
    width: "medium",
  });
}

function dateCell({ preview, shown }: Settings, { dates }: PreviewedColumn, index: number): Html | string {
  if (dates === null) return "";
  if (dates === "ymd") return texts.yearFirst;
  const name = datesName(index);
  const isOpen = dates === "ambiguous" || dates === "mixed";
  return html`${isOpen ? null : badge(texts.recognised[dates], "neutral")}${
    isOpen || shown.value(name) !== ""
      ? selectField({
          name,
          label: texts.datesOf(shownHeading(preview.columns, index)),
          hidesLabel: true,
          value: shown.value(name, isOpen ? "" : dates),
          options: [
            { value: "", label: texts.recognise },
            { value: "dmy", label: texts.dayFirst },
            { value: "mdy", label: texts.monthFirst },
          ],
          hint: dates === "mixed" ? texts.mixed : dates === "ambiguous" ? texts.ambiguous : null,
          error: shown.problem(name),
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
    caption: texts.columns,
    rows,
    columns: [
      { label: texts.heading, cell: ({ index }) => shownHeading(columns, index) },
      {
        label: texts.examples,
        cell: ({ column }) => html`<span class="examples">${column.samples.map(isolated).join(" · ")}</span>`,
      },
      {
        label: texts.becomes,
        cell: ({ column, index }) =>
          isMapped
            ? columnSelect(settings, column, index)
            : (texts.suppressionColumns[column.column ?? ""] ?? texts.ignored),
      },
      ...(hasDates
        ? [
            {
              label: texts.dates,
              cell: ({ column, index }: (typeof rows)[number]) => dateCell(settings, column, index),
            },
          ]
        : []),
    ],
  });
}

function target({ shown, lists, list, newList, overwrite }: Settings): Html {
  return html`<div class="form"><div class="form or-new">${selectField({
    name: "list",
    label: texts.list,
    value: shown.value("list", list ?? (lists.length === 0 ? NEW_LIST : "")),
    options: [
      ...(list === null && lists.length > 0 ? [{ value: "", label: texts.chooseList }] : []),
      ...lists.map(({ id, name }) => ({ value: String(id), label: name })),
      { value: NEW_LIST, label: texts.newList },
    ],
    error: shown.problem("list"),
    width: "medium",
  })}${textField({
    name: "newList",
    label: texts.newListName,
    hint: texts.newListHint,
    value: shown.value("newList", newList),
    error: shown.problem("newList"),
    isOptional: true,
    width: "medium",
  })}</div>${radioGroup({
    name: "overwrite",
    label: texts.values,
    value: shown.value("overwrite", overwrite ? "file" : "here"),
    options: [
      { value: "here", label: texts.keep, hint: texts.keepHint },
      { value: "file", label: texts.overwrite, hint: texts.overwriteHint },
    ],
  })}</div>`;
}

const suppressionTarget = ({ shown, as }: Settings): Html =>
  selectField({
    name: "as",
    label: texts.as,
    hint: texts.asHint,
    value: shown.value("as", as),
    options: [
      { value: "", label: texts.fromFile },
      ...suppressionKinds.map((value) => ({ value, label: texts.kinds[value] })),
    ],
    error: shown.problem("as"),
    isOptional: true,
    width: "medium",
  });

export function settingsForm(settings: Settings): Html {
  const { shown, reading } = settings;
  const isMapped = reading.kind === "subscribers";
  const body = html`${section(texts.columns, columnsTable(settings), {
    description: isMapped ? texts.columnsDescription : null,
  })}
${section(texts.target, isMapped ? target(settings) : suppressionTarget(settings))}
<div class="part form">${buttonRow(button({ label: texts.check, emphasis: "primary" }))}<p class="field-hint">${texts.checkHint}</p></div>`;
  return formOf("check", { shown, body, look: "plain" });
}

/** A GET: how the file is read is part of the address. `found`: the separator that was recognised. */
export function formatForm({
  reading,
  found,
}: {
  readonly reading: Reading;
  readonly found: string | null;
}): Html {
  const word = found === null ? null : separatorWord(found);
  return html`<form method="get" class="inline-form"><input type="hidden" name="contains" value="${reading.kind}">${selectField(
    {
      name: "separator",
      label: texts.separator,
      value: reading.separator === null ? "" : (separatorWord(reading.separator) ?? ""),
      options: [
        {
          value: "",
          label:
            reading.separator === null && word !== null
              ? texts.found(texts.separators[word].toLowerCase())
              : texts.recognise,
        },
        ...Object.entries(texts.separators).map(([value, label]) => ({ value, label })),
      ],
      isOptional: true,
    },
  )}${selectField({
    name: "encoding",
    label: texts.encoding,
    value: reading.encoding ?? "",
    options: [
      { value: "", label: texts.recognise },
      ...Object.entries(texts.encodings).map(([value, label]) => ({ value, label })),
    ],
    isOptional: true,
  })}${button({ label: texts.readAgain })}</form>`;
}

const SHOWN_ROWS = 5;

export function firstRows({ columns, rows }: Preview): Html {
  if (rows.length === 0) return html`<p>${texts.noRows}</p>`;
  return table({
    caption: texts.firstRows,
    isWide: true,
    rows: rows.slice(0, SHOWN_ROWS),
    columns: columns.map((_, index) => ({
      label: shownHeading(columns, index),
      cell: (cells: readonly string[]) => cells[index] ?? "",
    })),
  });
}
