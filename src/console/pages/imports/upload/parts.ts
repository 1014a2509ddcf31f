/** What the page of an upload shows, by how far the file is. */
import { sentence } from "#admin/error-texts.ts";
import type { ImportSettings } from "#admin/imports/job-settings.ts";
import type { Preview } from "#admin/imports/start-import.ts";
import type { InvalidInput } from "#admin/kit/errors.ts";
import { doing } from "#console/kit/forms/form.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { type Content, content } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { PlannedNames } from "#domain/import/job.ts";
import type { Upload } from "#domain/import/upload.ts";
import type { Job } from "#domain/job/job.ts";
import type { List } from "#domain/list.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { fileField } from "#html/components/fields.ts";
import { pageHeader, section, steps, tabs } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { serveScript } from "#html/served-assets.ts";
import { liveProgress } from "../progress.ts";
import * as rejectedTexts from "../rejected-rows.texts.ts";
import { rejectedLinks } from "../rejected-rows.ts";
import { type Report, reportPart } from "../report.ts";
import * as settingTexts from "./settings.texts.ts";
import { NEW_LIST, type Reading } from "./settings.ts";
import { firstRows, formatForm, settingsForm } from "./settings-form.ts";
import * as texts from "./upload.texts.ts";

export const uploadScript = serveScript("upload", new URL("../../../../html/upload.js", import.meta.url));

type UploadVisit = Visit<"/{account}/imports/uploads/{upload}">;

const deleteForm: Html = html`<form method="post">${doing("delete")}${button({ label: texts.remove, icon: "delete" })}</form>`;

function headed(
  { link, formats, now }: UploadVisit,
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
      parent: { label: texts.title, href },
      aside: state,
      description: texts.uploadedAt(formats.bytes(size), formats.ago(createdAt, now)),
      actions: [deleteForm],
    })}${steps(texts.stepsLabel, texts.steps, step)}
${body}`,
    [uploadScript],
  );
}

/** The script asks here what has arrived, and sends the rest. */
export function incompletePage(visit: UploadVisit, upload: Upload): Content {
  const { formats, shown, path } = visit;
  const { size, expectedSize } = upload;
  const expected = expectedSize === null ? null : formats.bytes(expectedSize);
  const refused = ["part", "finish"].map((one) => shown(one).message).find((one) => one !== null) ?? null;
  const isWhole = expectedSize !== null && size >= expectedSize;
  const rest = html`<div data-arrived="${size}" data-expected="${expectedSize ?? ""}">${fileField({
    name: "file",
    label: texts.file,
    prompt: texts.prompt,
    upload: path,
    hint: texts.continueText,
  })}</div><noscript><p>${texts.needsScript}</p></noscript>`;
  return headed(
    visit,
    upload,
    0,
    html`${refused === null ? null : notice("bad", refused)}
${section(
  texts.incomplete,
  html`<p>${texts.arrived(formats.bytes(size), expected)}</p>${
    isWhole
      ? formOf("finish", {
          shown: shown("finish"),
          body: buttonRow(button({ label: texts.steps[1], emphasis: "primary" })),
        })
      : null
  }${rest}`,
)}`,
  );
}

export function unreadablePage(
  visit: UploadVisit,
  upload: Upload,
  reading: Reading,
  error: InvalidInput,
): Content {
  const why = upload.size === 0 ? texts.emptyFile : sentence(error.message);
  return headed(
    visit,
    upload,
    1,
    html`${notice("bad", texts.unreadable, html`<p>${why}</p>${upload.size === 0 ? null : html`<p>${texts.unreadableAdvice}</p>`}`)}
${upload.size === 0 ? null : section(settingTexts.format, formatForm({ reading, found: null }))}`,
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
export function settingsPage(visit: UploadVisit, known: Known): Content {
  const { upload, preview, reading, lists, notices, last } = known;
  const { path, shown } = visit;
  const contents = last?.contents;
  const subscribers = contents?.kind === "subscribers" ? contents : null;
  const planned = subscribers?.planned;
  const kinds = [
    ["subscribers", settingTexts.subscribers],
    ["suppressions", settingTexts.suppressions],
  ] as const;
  return headed(
    visit,
    upload,
    1,
    html`${notices}
${tabs(
  settingTexts.contains,
  kinds.map(([kind, label]) => ({
    label,
    href: `${path}?contains=${kind}`,
    isCurrent: kind === reading.kind,
  })),
)}
${settingsForm({
  ...{ preview, reading, lists, shown: shown("check"), isRepeated: last !== null },
  list:
    planned?.list != null
      ? NEW_LIST
      : lists.some(({ id }) => id === subscribers?.list)
        ? String(subscribers?.list)
        : null,
  newList: planned?.list ?? "",
  newFields: planned?.fields ?? [],
  overwrite: subscribers?.overwrite === true,
  as: contents?.kind === "suppressions" ? (contents.as ?? "") : "",
})}
${section(settingTexts.firstRows, firstRows(preview))}
${section(settingTexts.format, formatForm({ reading, found: preview.separator }))}`,
  );
}

export function runningPage(visit: UploadVisit, upload: Upload, job: Job): Content {
  const { formats, path, now } = visit;
  const moment = { job, size: upload.size, at: now, counts: null };
  const stop = html`<form method="post">${doing("stop")}${button({ label: texts.stop })}</form>`;
  return headed(
    visit,
    upload,
    2,
    section(texts.running, liveProgress(moment, formats, `${path}/events`, path), {
      actions: [stop],
      description: texts.runningText,
    }),
  );
}

interface Reported {
  readonly upload: Upload;
  readonly job: Job;
  readonly report: Report;
  readonly rows: Parameters<typeof reportPart>[1];
  readonly planned: PlannedNames | null;
  /** The name of the list; null: the file contains suppressions. */
  readonly list: string | null;
}
export function reportPage(
  visit: UploadVisit,
  { upload, job, report, rows, planned, list }: Reported,
): Content {
  const { formats, path, shown, link } = visit;
  const start = html`<input type="hidden" name="run" value="${job.id}">${buttonRow(
    button({ label: texts.importNow, emphasis: "primary", icon: "import" }),
    buttonLink({ label: texts.changeSettings, href: `${path}?change` }),
    ...(report.rejected === null ? [] : rejectedLinks(link(`/imports/uploads/${report.rejected}/content`))),
  )}<p class="field-hint">${texts.importHint}${report.rejected === null ? null : ` ${rejectedTexts.hint}`}</p>`;
  const where = list === null ? texts.intoSuppressions : texts.into(list);
  const next = html`<div>${formOf("import", { shown: shown("import"), body: html`<div class="stack">${start}</div>` })}</div>`;
  const description = [`${where}.`, texts.report, ...texts.planned(planned)].join(" ");
  return headed(
    visit,
    upload,
    2,
    section(texts.reportTitle, reportPart(report, rows, formats, next), { description }),
    badge(texts.isReported, "good"),
  );
}
