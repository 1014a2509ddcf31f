/** What the page of an upload shows, by how far the file is. */

import { sentence } from "#admin/error-texts.ts";
import type { ImportSettings, Preview } from "#admin/imports/start-import.ts";
import type { InvalidInput } from "#admin/kit/errors.ts";
import { MAX_PAGE } from "#admin/kit/paging.ts";
import { listLists } from "#admin/lists.ts";
import type { Upload } from "#domain/import/upload.ts";
import type { Job } from "#domain/job/job.ts";
import type { List } from "#domain/list.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { fileField } from "#html/components/fields.ts";
import { pageHeader, section, steps, tabs } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { serveScript } from "#html/served-assets.ts";
import { shippedFile } from "#shipped.ts";
import { doing } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import { type Content, content, type PageContext } from "../../kit/page.ts";
import { hasEffect, type Report, reportPart, uploadTexts } from "./outcomes.ts";
import { liveProgress, rejectedLinks, rejectedRowsTexts } from "./progress.ts";
import { NEW_LIST, type Reading, settingsTexts } from "./settings.ts";
import { firstRows, formatForm, settingsForm } from "./settings-form.ts";

// The lists of an account, to choose from.

/** Of an account with more, the first. */
export async function listsOf({
  performHere,
}: Pick<PageContext<"/{account}">, "performHere">): Promise<readonly List[]> {
  return (await performHere(listLists, { limit: MAX_PAGE })).rows;
}

export const uploadScript = serveScript("upload", shippedFile("html/upload.js"));

type UploadContext = PageContext<"/{account}/imports/uploads/{upload}">;

const deleteForm: Html = html`<form method="post">${doing("delete")}${button({ label: "Delete this file", icon: "delete" })}</form>`;

function headed(
  { link, formats, now }: UploadContext,
  { name, size, createdAt }: Upload,
  step: 0 | 1 | 2,
  body: Html,
  state: Html | null = null,
): Content {
  const href = link("/imports");
  return content(
    name,
    html`${pageHeader({
      title: name,
      parent: { label: "Import", href },
      aside: state,
      description: `${formats.bytes(size)}, uploaded ${formats.ago(createdAt, now)}`,
      actions: [deleteForm],
    })}${steps(uploadTexts.stepsLabel, uploadTexts.steps, step)}
${body}`,
    [uploadScript],
  );
}

/** The script asks here what has arrived, and sends the rest. */
export function incompletePage(context: UploadContext, upload: Upload): Content {
  const { formats, formState, path } = context;
  const { size, expectedSize } = upload;
  const expected = expectedSize === null ? null : formats.bytes(expectedSize);
  const refused = ["part", "finish"].map((one) => formState(one).message).find((one) => one !== null) ?? null;
  const isWhole = expectedSize !== null && size >= expectedSize;
  const rest = html`<div data-arrived="${size}" data-expected="${expectedSize ?? ""}">${fileField({
    name: "file",
    label: "The same file",
    prompt: "Drop the file here, or choose it.",
    upload: path,
    hint: "Choose the same file again: the upload continues where it stopped.",
  })}</div><noscript><p>Continuing an upload needs JavaScript. Delete this upload and send a smaller file.</p></noscript>`;
  return headed(
    context,
    upload,
    0,
    html`${refused === null ? null : notice("bad", refused)}
${section(
  "The upload is not complete",
  html`<p>${uploadTexts.arrived(formats.bytes(size), expected)}</p>${
    isWhole
      ? formOf("finish", {
          state: formState("finish"),
          body: buttonRow(button({ label: uploadTexts.steps[1], emphasis: "primary" })),
        })
      : null
  }${rest}`,
)}`,
  );
}

export function unreadablePage(
  context: UploadContext,
  upload: Upload,
  reading: Reading,
  error: InvalidInput,
): Content {
  const why =
    upload.size === 0
      ? "The file is empty. Upload one with a row of headings and the rows of people below it."
      : sentence(`The file ${error.message}`);
  const isWorkbook = /\.xlsx$/i.test(upload.name);
  return headed(
    context,
    upload,
    1,
    html`${notice("bad", "This file cannot be imported", html`<p>${why}</p>${upload.size === 0 || isWorkbook ? null : html`<p>If it is a CSV file, choose its encoding and separator below. Otherwise save the table as CSV or Excel workbook (.xlsx) in your spreadsheet program, and upload that.</p>`}`)}
${upload.size === 0 || isWorkbook ? null : section(settingsTexts.format, formatForm({ reading, found: null }))}`,
  );
}

interface Known {
  readonly upload: Upload;
  readonly preview: Preview;
  readonly reading: Reading;
  readonly lists: readonly List[];
  readonly notices: readonly Html[];
  readonly last: ImportSettings | null;
}
export function settingsPage(context: UploadContext, known: Known): Content {
  const { upload, preview, reading, lists, notices, last } = known;
  const { path, formState } = context;
  const contents = last?.contents;
  const subscribers = contents?.kind === "subscribers" ? contents : null;
  // Which sheet is read decides all columns.
  const hasSheets = (preview.sheets?.names.length ?? 0) > 1;
  const planned = subscribers?.plannedList;
  const kinds = [
    ["subscribers", "Subscribers"],
    ["suppressions", "Addresses not to mail"],
  ] as const;
  return headed(
    context,
    upload,
    1,
    html`${notices}
${hasSheets ? formatForm({ reading, found: preview }) : null}
${tabs(
  "What the file contains",
  kinds.map(([kind, label]) => ({
    label,
    href: `${path}?contains=${kind}`,
    isCurrent: kind === reading.kind,
  })),
)}
${settingsForm({
  ...{ preview, reading, lists, shown: formState("check"), isRepeated: last !== null },
  list:
    planned !== undefined
      ? NEW_LIST
      : lists.some(({ id }) => id === subscribers?.list)
        ? String(subscribers?.list)
        : null,
  newList: planned ?? "",
  overwrite: subscribers?.overwrite === true,
  as: contents?.kind === "suppressions" ? (contents.as ?? "") : "",
})}
${section("The first rows", firstRows(preview))}
${hasSheets ? null : section(settingsTexts.format, formatForm({ reading, found: preview }))}`,
  );
}

export function runningPage(context: UploadContext, upload: Upload, job: Job): Content {
  const { formats, path, now } = context;
  const moment = { job, size: upload.size, at: now, counts: null };
  const stop = html`<form method="post">${doing("stop")}${button({ label: "Stop the dry run" })}</form>`;
  return headed(
    context,
    upload,
    2,
    section("Dry run", liveProgress(moment, formats, `${path}/events`, path), {
      actions: [stop],
      description: "A dry run changes nothing.",
    }),
  );
}

interface Reported {
  readonly upload: Upload;
  readonly job: Job;
  readonly report: Report;
  readonly rows: Parameters<typeof reportPart>[1];
  /** Whether the import creates the list. */
  readonly isPlanned: boolean;
  /** The name of the list; null: the file contains suppressions. */
  readonly list: string | null;
}
export function reportPage(
  context: UploadContext,
  { upload, job, report, rows, isPlanned, list }: Reported,
): Content {
  const { formats, path, formState, link } = context;
  const isUseful = hasEffect(report.counts) || report.isPartial || isPlanned;
  const start = html`<input type="hidden" name="run" value="${job.id}">${buttonRow(
    button({ label: "Import now", emphasis: isUseful ? "primary" : "plain", icon: "import" }),
    buttonLink({ label: "Change the settings", href: `${path}?change` }),
    ...(report.rejected === null ? [] : rejectedLinks(link(`/imports/uploads/${report.rejected}/content`))),
  )}<p class="field-hint">The import uses the same settings. It continues when you close the page.${report.rejected === null ? null : ` ${rejectedRowsTexts.hint}`}</p>`;
  const where = list === null ? "Addresses not to mail" : `Into the list "${isolated(list)}"`;
  const next = html`<div>${formOf("import", { state: formState("import"), body: html`<div class="stack">${start}</div>` })}</div>`;
  const aboutList = isPlanned ? [uploadTexts.planned] : [];
  const description = [`${where}.`, "Nothing has been changed yet.", ...aboutList].join(" ");
  return headed(
    context,
    upload,
    2,
    section("Result of the dry run", reportPart(report, rows, formats, next), { description }),
    badge("Dry run finished", "good"),
  );
}
