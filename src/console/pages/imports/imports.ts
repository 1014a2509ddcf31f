/** `/console/{account}/imports`: a place for a file, files that wait, and the imports so far. */
import { listImports, type RecordedImport } from "#admin/imports/imports.ts";
import { type Origin, origins } from "#admin/imports/start-import.ts";
import { appendPart, createUpload, finishUpload, listUploads } from "#admin/uploads.ts";
import { rowsOf } from "#domain/import/batch.ts";
import { isRejectedRows, MAX_PART_BYTES, type Upload } from "#domain/import/upload.ts";
import type { List } from "#domain/list.ts";
import type { Page } from "#domain/ports/listing.ts";
import { MAX_NAME_LENGTH } from "#domain/text.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { fileField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { asTyped } from "#shipped.ts";
import { FormRefused } from "../../kit/errors.ts";
import { formOf } from "../../kit/form-html.ts";
import { pagedTable } from "../../kit/listing.ts";
import { type Answer, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { settingsTexts } from "./settings.ts";
import { listsOf, uploadScript } from "./upload-parts.ts";

const importsTexts = {
  emptyFile: "The file is empty. Choose another one.",
  imports: "Previous imports",
  ways: "How to come from Mailchimp, listmonk or another product",
};

const PATH = "/{account}/imports";
type ImportsContext = PageContext<typeof PATH>;
const SHOWN = 25;

async function show(context: ImportsContext): Promise<Answer> {
  const { list, may, query, performHere } = context;
  const mayImport = may("editor");
  const found = await list(listImports, { limit: SHOWN });
  const lists = await listsOf(context);
  const uploads = mayImport ? await performHere(listUploads, {}) : [];
  const waiting = uploads.filter((one) => !isRejectedRows(one));
  const isFirst = !query.has("after") && !query.has("before");
  return titled(
    {
      title: "Import",
      description:
        "Add people to a list from a CSV or Excel file, or import addresses that must not be mailed. Nothing changes until you have seen the result of a dry run.",
    },
    html`${mayImport && isFirst ? html`${uploadForm(context)}${waysHere}` : null}
${isFirst && waiting.length > 0 ? waitingPart(context, waiting) : null}
${
  found.rows.length === 0
    ? section(
        importsTexts.imports,
        emptyState({
          ...{ title: "No imports yet", icon: "import" as const },
          text: mayImport
            ? "Each import appears here, with who started it, when, and its result."
            : "Editors and owners of this account can import files.",
        }),
      )
    : section(importsTexts.imports, importsTable(context, found, lists))
}`,
    [uploadScript],
  );
}

function uploadForm({ formState, path }: ImportsContext): Html {
  const form = formState("upload");
  return formOf("upload", {
    state: form.isRefused ? form : formState("begin"),
    takesFile: true,
    body: html`${fileField({
      name: "file",
      label: "CSV or Excel file",
      prompt: "or drop it here",
      hint: "CSV with any separator and encoding, or an Excel workbook (.xlsx). The first row has the headings of the columns, in any language, or there are none. You choose on the next page what each column means.",
      upload: path,
      accept: ".csv,.tsv,.txt,.xlsx,text/csv,text/plain",
      error: form.problem("file"),
    })}<noscript><p class="hint">Without JavaScript, the file may not be larger than the limit for one request.</p></noscript>
<div data-without-script>${buttonRow(button({ label: "Upload", emphasis: "primary", icon: "import" }))}</div>`,
  });
}

const withCode = (text: string): Html =>
  html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
const uploadsOf = ({ files }: Origin): string =>
  files
    .map(({ name, as, contents }) =>
      contents === "subscribers"
        ? `${name} (Subscribers)`
        : `${name} (Addresses not to mail${as === null ? "" : `: ${settingsTexts.kinds[as]}`})`,
    )
    .join(", then ");

/** Folded: who comes from a spreadsheet has no use for it. */
const waysHere = html`<details class="samples"><summary>${importsTexts.ways}</summary>
${definitions(
  origins.map((origin) => [
    origin.label,
    html`<ul><li>There: ${withCode(asTyped(origin.exported))}</li><li>Here: upload ${uploadsOf(origin)}</li><li>States: ${withCode(origin.states)}</li></ul>`,
  ]),
)}</details>`;

function waitingPart({ link, formats, now }: ImportsContext, waiting: readonly Upload[]): Html {
  return section(
    "Uploaded files",
    table({
      caption: "Uploaded files",
      rows: waiting,
      href: ({ id }) => link(`/imports/uploads/${id}`),
      columns: [
        { label: "File", cell: ({ name }) => name },
        {
          label: "State",
          cell: ({ finishedAt }) =>
            finishedAt === null ? badge("Incomplete", "waiting") : badge("Ready", "info"),
        },
        { label: "Size", cell: ({ size }) => formats.bytes(size), isNumber: true },
        { label: "Uploaded", cell: ({ createdAt }) => formats.ago(createdAt, now) },
      ],
    }),
    { description: "Not imported yet. A file is deleted a day after its last use." },
  );
}

const addedOf = ({ counts }: RecordedImport): number =>
  "recorded" in counts ? counts.recorded : counts.added;

function importsTable(context: ImportsContext, found: Page<RecordedImport>, lists: readonly List[]): Html {
  const { link, formats } = context;
  const { number, count } = formats;
  const intoOf = (id: number | null): string =>
    id === null ? "Suppressions" : (lists.find((one) => one.id === id)?.name ?? "a deleted list");
  return pagedTable(context, found, {
    caption: importsTexts.imports,
    text: (shown) => count(shown, "import", "imports, newest first"),
    href: ({ id }) => link(`/imports/${id}`),
    columns: [
      {
        label: "File",
        cell: ({ fileName, finishedAt, undoneAt }) =>
          html`${fileName}${undoneAt !== null ? html` ${badge("Undone", "neutral")}` : finishedAt === null ? html` ${badge("Not finished", "waiting")}` : null}`,
      },
      { label: "Into", cell: ({ list }) => intoOf(list) },
      { label: "Rows", cell: ({ counts }) => number(rowsOf(counts)), isNumber: true },
      { label: "Added", cell: (one) => number(addedOf(one)), isNumber: true },
      { label: "Rejected", cell: ({ counts }) => number(counts.rejected), isNumber: true },
      { label: "By", cell: ({ actor }) => actor.name ?? "", isMinor: true },
      { label: "Started", cell: ({ startedAt }) => formats.time(startedAt) },
    ],
  });
}

/** Files may have longer names than things here: of such a name, the beginning and the extension are kept. */
function storedName(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_NAME_LENGTH) return name;
  const extension = /\.\w{1,5}$/.exec(name)?.[0] ?? "";
  return `${characters.slice(0, MAX_NAME_LENGTH - extension.length - 1).join("")}…${extension}`;
}

/** For the script, which sends the parts itself. */
async function begin({ performHere, form, link }: ImportsContext): Promise<Answer> {
  const size = Number(form.text("size"));
  if (!Number.isSafeInteger(size))
    throw new FormRefused({ message: "The size of the file is not known. Choose the file again." });
  if (size === 0) throw new FormRefused({ message: importsTexts.emptyFile });
  const upload = await performHere(createUpload, { name: storedName(form.text("fileName")), size });
  return redirect(link(`/imports/uploads/${upload.id}`));
}

/** Without a script: the whole file with the form. */
async function uploadWhole({ performHere, form, link }: ImportsContext): Promise<Answer> {
  const file = form.file("file");
  if (file === null) throw new FormRefused({ fields: { file: "Choose a file first." } });
  const { name, bytes } = file;
  if (bytes.length === 0) throw new FormRefused({ fields: { file: importsTexts.emptyFile } });
  const { id } = await performHere(createUpload, { ...{ name: storedName(name), size: bytes.length } });
  const one = { id };
  for (let offset = 0; offset < bytes.length; offset += MAX_PART_BYTES)
    await performHere(appendPart, { ...one, offset, bytes: bytes.subarray(offset, offset + MAX_PART_BYTES) });
  await performHere(finishUpload, { ...one, sha256: null });
  return redirect(link(`/imports/uploads/${id}`));
}

export const importsPage = page({
  path: PATH,
  role: "viewer",
  takesFile: true,
  show,
  forms: {
    begin: { submit: begin, inputs: { name: "fileName" } },
    upload: { submit: uploadWhole, inputs: { name: "file" } },
  },
});
