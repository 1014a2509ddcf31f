/** `/console/{account}/imports`: a place for a file, files that wait, and the imports so far. */
import { listImports, type RecordedImport } from "#admin/imports/imports.ts";
import { appendPart, createUpload, finishUpload, listUploads } from "#admin/uploads.ts";
import { rowsOf } from "#domain/import/batch.ts";
import { isRejectedRows, MAX_PART_BYTES, type Upload } from "#domain/import/upload.ts";
import type { List } from "#domain/list.ts";
import { MAX_NAME_LENGTH } from "#domain/text/name.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { fileField } from "#html/components/fields.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/failures.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { type Answer, content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./imports.texts.ts";
import { listsOf } from "./upload/lists.ts";
import { uploadScript } from "./upload/parts.ts";

const PATH = "/{account}/imports";
type ImportsVisit = Visit<typeof PATH>;
const SHOWN = 25;

async function show(visit: ImportsVisit): Promise<Answer> {
  const { account, list, may, query, perform } = visit;
  const mayImport = may("editor");
  const found = await list(listImports, { account: account.id, limit: SHOWN });
  const lists = await listsOf(visit);
  const uploads = mayImport ? await perform(listUploads, { account: account.id }) : [];
  const waiting = uploads.filter((one) => !isRejectedRows(one));
  const isFirst = !query.has("after") && !query.has("before");
  return content(
    texts.title,
    html`${pageHeader({ title: texts.title, description: texts.description })}
${mayImport && isFirst ? uploadForm(visit) : null}
${isFirst && waiting.length > 0 ? waitingPart(visit, waiting) : null}
${
  found.rows.length === 0
    ? section(
        texts.imports,
        emptyState({
          ...{ title: texts.none, icon: "import" as const },
          text: mayImport ? texts.noneText : texts.noneForViewers,
        }),
      )
    : section(
        texts.imports,
        html`${importsTable(visit, found.rows, lists)}${pages(visit, found.rows.length, found)}`,
      )
}`,
    [uploadScript],
  );
}

function uploadForm({ shown, path }: ImportsVisit): Html {
  const form = shown("upload");
  return formOf("upload", {
    shown: form.isRefused ? form : shown("begin"),
    takesFile: true,
    body: html`${fileField({
      name: "file",
      label: texts.file,
      prompt: texts.prompt,
      hint: texts.fileHint,
      upload: path,
      accept: ".csv,.tsv,.txt,text/csv,text/plain",
      error: form.problem("file"),
    })}<noscript><p class="hint">${texts.withoutScript}</p></noscript>
<div data-without-script>${buttonRow(button({ label: texts.upload, emphasis: "primary", icon: "import" }))}</div>`,
  });
}

function waitingPart({ link, formats, now }: ImportsVisit, waiting: readonly Upload[]): Html {
  return section(
    texts.waiting,
    table({
      caption: texts.waiting,
      rows: waiting,
      href: ({ id }) => link(`/imports/uploads/${id}`),
      columns: [
        { label: texts.fileName, cell: ({ name }) => name },
        {
          label: texts.state,
          cell: ({ finishedAt }) =>
            finishedAt === null ? badge(texts.isIncomplete, "waiting") : badge(texts.isWhole, "info"),
        },
        { label: texts.size, cell: ({ size }) => formats.bytes(size), isNumber: true },
        { label: texts.arrived, cell: ({ createdAt }) => formats.ago(createdAt, now) },
      ],
    }),
    { description: texts.waitingDescription },
  );
}

const addedOf = ({ counts }: RecordedImport): number =>
  "recorded" in counts ? counts.recorded : counts.added;

function importsTable(
  { link, formats }: ImportsVisit,
  rows: readonly RecordedImport[],
  lists: readonly List[],
): Html {
  const { number } = formats;
  const intoOf = (id: number | null): string =>
    id === null ? texts.suppressions : (lists.find((one) => one.id === id)?.name ?? texts.deletedList);
  return table({
    caption: texts.imports,
    rows,
    href: ({ id }) => link(`/imports/${id}`),
    columns: [
      {
        label: texts.fileName,
        cell: ({ fileName, finishedAt }) =>
          html`${fileName}${finishedAt === null ? html` ${badge(texts.isRunning, "waiting")}` : null}`,
      },
      { label: texts.into, cell: ({ list }) => intoOf(list) },
      { label: texts.rows, cell: ({ counts }) => number(rowsOf(counts)), isNumber: true },
      { label: texts.added, cell: (one) => number(addedOf(one)), isNumber: true },
      { label: texts.rejected, cell: ({ counts }) => number(counts.rejected), isNumber: true },
      { label: texts.by, cell: ({ actor }) => actor.name ?? "", isMinor: true },
      { label: texts.started, cell: ({ startedAt }) => formats.time(startedAt) },
    ],
  });
}

function pages(
  { path, formats }: ImportsVisit,
  shown: number,
  { next, previous }: { readonly next: string | null; readonly previous: string | null },
): Html {
  const to = (name: string, cursor: string | null): string | null =>
    cursor === null ? null : `${path}?${name}=${encodeURIComponent(cursor)}`;
  return pager({
    text: texts.count(formats.number(shown)),
    previous: to("before", previous),
    next: to("after", next),
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
async function begin({ perform, account, form, link }: ImportsVisit): Promise<Answer> {
  const size = Number(form.text("size"));
  if (!Number.isSafeInteger(size)) throw new FormRefused({ message: texts.wrongSize });
  if (size === 0) throw new FormRefused({ message: texts.emptyFile });
  const upload = await perform(createUpload, {
    account: account.id,
    name: storedName(form.text("fileName")),
    size,
  });
  return redirect(link(`/imports/uploads/${upload.id}`));
}

/** Without a script: the whole file with the form. */
async function uploadWhole({ perform, account, form, link }: ImportsVisit): Promise<Answer> {
  const file = form.file("file");
  if (file === null) throw new FormRefused({ fields: { file: texts.noFile } });
  const { name, bytes } = file;
  if (bytes.length === 0) throw new FormRefused({ fields: { file: texts.emptyFile } });
  const { id } = await perform(createUpload, {
    ...{ account: account.id, name: storedName(name), size: bytes.length },
  });
  const one = { account: account.id, id };
  for (let offset = 0; offset < bytes.length; offset += MAX_PART_BYTES)
    await perform(appendPart, { ...one, offset, bytes: bytes.subarray(offset, offset + MAX_PART_BYTES) });
  await perform(finishUpload, { ...one, sha256: null });
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
