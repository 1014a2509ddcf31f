/** `/console/{account}/imports/uploads/{upload}`: a file from its arrival to the import. */
import { sentence } from "#admin/error-texts.ts";
import { findUploadJob, listImports, readRows } from "#admin/imports/imports.ts";
import {
  type ImportSettings,
  type Preview,
  previewImport,
  settingsOf,
  startImport,
} from "#admin/imports/start-import.ts";
import { cancelJob } from "#admin/jobs.ts";
import { InvalidInput, NotFound } from "#admin/kit/errors.ts";
import { appendPart, deleteUpload, findUpload, finishUpload, listUploads } from "#admin/uploads.ts";
import type { Clock } from "#domain/clocks.ts";
import type { TableContents } from "#domain/import/job.ts";
import type { Upload } from "#domain/import/upload.ts";
import type { Job } from "#domain/job/job.ts";
import { notice } from "#html/components/feedback.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { FormRefused } from "../../kit/errors.ts";
import type { Form } from "../../kit/form.ts";
import { type Answer, eventPage, type PageContext, page, redirect } from "../../kit/page.ts";
import { reportOf, sampledLines } from "./outcomes.ts";
import { type Moment, progressEvents } from "./progress.ts";
import {
  anyContents,
  datesIn,
  FULL_NAME,
  IGNORE,
  mapIn,
  NO_HEADINGS,
  readingOf,
  settingsTexts,
  suppressionsIn,
  whereIn,
  withPlannedList,
} from "./settings.ts";
import {
  incompletePage,
  listsOf,
  reportPage,
  runningPage,
  settingsPage,
  unreadablePage,
} from "./upload-parts.ts";

/** What the user should know about a file before it is imported. */
const LOOKED_AT = 100;

type Asker = Pick<
  PageContext<"/{account}/imports/uploads/{upload}">,
  "performHere" | "link" | "formats" | "now"
>;

/** `noHeadings`: where the file is read without them. */
async function noticesOf(
  context: Asker,
  upload: Upload,
  preview: Preview,
  job: Job | null,
  noHeadings: string,
): Promise<readonly Html[]> {
  return [
    ...jobNotices(job),
    ...productNotices(preview),
    ...headerNotices(preview, noHeadings),
    ...(await twinNotices(context, upload)),
  ];
}

function jobNotices(job: Job | null): readonly Html[] {
  if (job?.ending === "cancelled") return [notice("info", "The dry run was stopped.")];
  if (job?.ending !== "failed") return [];
  const title =
    typeof job.result?.import === "number"
      ? "The import could not read the file to its end"
      : "The dry run could not read the file to its end";
  return [notice("bad", title, sentence(job.lastError ?? ""))];
}

function productNotices({ product }: Preview): readonly Html[] {
  if (product === null) return [];
  const { label, note } = product;
  return [
    notice(
      "info",
      `This file was exported from ${label}`,
      `Its columns and states are read as in ${label}. Other columns with values become new fields: choose "Do not import" for those that you do not need.${note === null ? "" : ` ${note}`}`,
    ),
  ];
}

function headerNotices({ columns, hasHeader, rows }: Preview, noHeadings: string): readonly Html[] {
  const addressed = columns.find(({ heading }) => heading?.includes("@") === true)?.heading;
  if (hasHeader && addressed != null)
    return [
      notice(
        "warning",
        "The file seems to have no row of headings",
        html`The first row of this file has an address ("${isolated(addressed)}"). If you go on, it is taken as headings, and the person in it is not imported. <a href="${noHeadings}">Read the file without headings</a>`,
      ),
    ];
  const isFound =
    columns.some(({ column }) => column === "email") ||
    rows.some((cells) => cells.some((cell) => cell.includes("@")));
  return isFound
    ? []
    : [
        notice(
          "warning",
          "No column looks like it contains e-mail addresses",
          "Check the separator below, or choose the column yourself.",
        ),
      ];
}

/** The same file, as far as its name and size tell. */
async function twinNotices(
  { performHere, link, formats, now }: Asker,
  { id, name, size, createdAt }: Upload,
): Promise<readonly Html[]> {
  const { rows } = await performHere(listImports, { limit: LOOKED_AT });
  const before = rows.find(({ fileName }) => fileName === name);
  const twin = (await performHere(listUploads, {})).find(
    (one) => one.id !== id && one.name === name && one.size === size && one.createdAt <= createdAt,
  );
  const leading = (text: string, href: string): Html => html`${text} <a href="${href}">Look at it</a>`;
  return [
    ...(before === undefined
      ? []
      : [
          notice(
            "info",
            "A file with this name was imported before",
            leading(
              `${formats.ago(before.startedAt, now)}, by ${before.actor.name ?? "somebody"}.`,
              link(`/imports/${before.id}`),
            ),
          ),
        ]),
    ...(twin === undefined
      ? []
      : [
          notice(
            "info",
            "This file is already uploaded",
            leading(
              "A file with the same name and size was uploaded before this one.",
              link(`/imports/uploads/${twin.id}`),
            ),
          ),
        ]),
  ];
}

const UPLOAD_PATH = "/{account}/imports/uploads/{upload}";
type UploadContext = PageContext<typeof UPLOAD_PATH>;
const idOf = ({ params }: Pick<UploadContext, "account" | "params">) => ({
  id: params.upload,
});
const pageOf = ({ link, params }: Pick<UploadContext, "link" | "params">): string =>
  link(`/imports/uploads/${params.upload}`);

const jobOf = (context: UploadContext): Promise<Job | null> =>
  context.performHere(findUploadJob, { upload: context.params.upload });
const importOf = (job: Job | null): number | null =>
  typeof job?.result?.import === "number" ? job.result.import : null;

async function show(context: UploadContext): Promise<Answer> {
  const job = await jobOf(context);
  let upload: Upload;
  try {
    upload = await context.performHere(findUpload, idOf(context));
  } catch (error) {
    // It was imported, and is deleted; the import has a page.
    const id = importOf(job);
    if (error instanceof NotFound && id !== null) return redirect(context.link(`/imports/${id}`));
    throw error;
  }
  if (upload.finishedAt === null) return incompletePage(context, upload);
  if (job !== null && job.ending === null) {
    const id = importOf(job);
    return id === null ? runningPage(context, upload, job) : redirect(context.link(`/imports/${id}`));
  }
  const isChanging = context.query.size > 0 || context.formState("check").isRefused;
  if (job !== null && job.ending === "finished" && importOf(job) === null && !isChanging)
    return await showReport(context, upload, job);
  return await showSettings(context, upload, job);
}

async function showReport(context: UploadContext, upload: Upload, job: Job): Promise<Answer> {
  const report = reportOf(job);
  const settings = settingsOf(job);
  if (report === null || settings === null) return await showSettings(context, upload, job);
  const { performHere } = context;
  const { format } = settings;
  const read = { format };
  const samples = await performHere(readRows, { ...read, upload: upload.id, lines: sampledLines(report) });
  const reasons = report.reasons.map(([reason]) => reason);
  const rejected =
    report.rejected === null
      ? { rows: [] }
      : await performHere(readRows, { ...read, upload: report.rejected, lines: null, reasons });
  // They are read from the file again: the result of a job has no data of people.
  const hasNames =
    settings.contents.kind === "subscribers" &&
    settings.contents.map.some(({ column }) => column === FULL_NAME);
  const { names } = hasNames
    ? await performHere(previewImport, { upload: upload.id, ...settings })
    : { names: [] };
  const header =
    settings.contents.kind === "subscribers" && settings.contents.hasHeader === false ? null : samples.header;
  const rows = { header, samples: samples.rows, rejected: rejected.rows, names };
  const lists = await listsOf(context);
  const { contents } = settings;
  const list = contents.kind === "subscribers" ? lists.find(({ id }) => id === contents.list) : undefined;
  const plannedList = contents.kind === "subscribers" ? contents.plannedList : undefined;
  return reportPage(context, {
    upload,
    job,
    report,
    rows,
    isPlanned: plannedList !== undefined,
    list: list?.name ?? plannedList ?? null,
  });
}

/** What the form said if it was refused; otherwise what the last run took. */
async function showSettings(context: UploadContext, upload: Upload, job: Job | null): Promise<Answer> {
  const { performHere, formState, query } = context;
  const last = job === null ? null : settingsOf(job);
  const reading = readingOf(query, last);
  const same = last?.contents.kind === reading.kind ? last : null;
  const isSameTable =
    same !== null && (same.contents.kind !== "subscribers" || same.contents.hasHeader === reading.hasHeader);
  const contents = isSameTable ? { ...same.contents } : anyContents(reading);
  const asked = {
    ...{ upload: upload.id, contents },
    format: { ...reading, dates: same?.format.dates ?? [] },
  };
  try {
    const first = await performHere(previewImport, asked).catch(() =>
      performHere(previewImport, {
        ...asked,
        contents: anyContents(reading),
        format: { ...reading, dates: [] },
      }),
    );
    // With the columns that were chosen, their dates are known, too.
    const preview = formState("check").isRefused
      ? await performHere(previewImport, { ...asked, ...chosen(context.form, first.columns, reading) }).catch(
          () => first,
        )
      : first;
    const lists = await listsOf(context);
    const { separator, encoding } = Object.fromEntries(query);
    const asNow = { contains: reading.kind, separator: separator ?? "", encoding: encoding ?? "" };
    const noHeadings = `${context.path}?${String(new URLSearchParams({ ...asNow, headings: NO_HEADINGS }))}`;
    const notices = await noticesOf(context, upload, preview, job, noHeadings);
    return settingsPage(context, { upload, preview, reading, lists, notices, last: same });
  } catch (error) {
    if (error instanceof InvalidInput) return unreadablePage(context, upload, reading, error);
    throw error;
  }
}

type Reading = ReturnType<typeof readingOf>;
/** Of a form that was refused: as far as it can be understood. */
function chosen(form: Form, columns: Parameters<typeof mapIn>[1], { kind, hasHeader, ...format }: Reading) {
  try {
    const map = mapIn(form, columns);
    const contents: TableContents = {
      kind: "subscribers",
      list: 0,
      overwrite: false,
      map,
      ignoresUnknown: true,
      hasHeader,
    };
    return kind === "subscribers" ? { contents, format: { ...format, dates: [] } } : {};
  } catch {
    return {};
  }
}

async function check(context: UploadContext): Promise<Answer> {
  const { performHere, form, query } = context;
  const job = await jobOf(context);
  const reading = readingOf(query, job === null ? null : settingsOf(job));
  const { kind, hasHeader, ...read } = reading;
  const asked = { upload: context.params.upload };
  const none = { ...read, dates: [] };
  const { columns } = await performHere(previewImport, {
    ...asked,
    format: none,
    contents: anyContents(reading),
  });
  const format = { ...read, dates: datesIn(form, columns) };
  if (kind === "suppressions") {
    await performHere(startImport, { ...asked, format, contents: suppressionsIn(form), isDryRun: true });
    return redirect(pageOf(context));
  }
  const map = mapIn(form, columns);
  const base = {
    kind,
    list: 0,
    overwrite: form.text("overwrite") === "file",
    ignoresUnknown: true,
    hasHeader,
  } as const;
  const tried = await performHere(previewImport, { ...asked, format, contents: { ...base, map } });
  if (tried.problem !== null) throw refusal(tried.problem, tried.columns);
  const contents = { ...base, ...whereIn(form), map };
  await performHere(startImport, { ...asked, format, contents, isDryRun: true });
  return redirect(pageOf(context));
}

/** Wrong dates are said beside the selects of their columns. */
function refusal(error: InvalidInput, columns: Parameters<typeof mapIn>[1]): Error {
  if (error.input !== "dates") return error;
  const fields = columns.flatMap(({ dates }, index) =>
    dates === "ambiguous" || dates === "mixed"
      ? [[`dates-${index}`, dates === "mixed" ? settingsTexts.mixed : settingsTexts.ambiguous] as const]
      : [],
  );
  return fields.length === 0 ? error : new FormRefused({ fields: Object.fromEntries(fields) });
}

/** Another dry run with the same settings, but for one column. */
async function leaveColumnOut(context: UploadContext): Promise<Answer> {
  const { performHere, form, params } = context;
  const job = await jobOf(context);
  const settings = job === null ? null : settingsOf(job);
  if (settings?.contents.kind !== "subscribers")
    throw new FormRefused({ message: "The settings of the dry run were not kept. Choose them again." });
  const { format, contents } = settings;
  const heading = form.text("heading");
  // The result names no column of a table without headings, and not each of very many.
  if (!contents.map.some((one) => one.heading === heading)) return redirect(`${pageOf(context)}?change`);
  const map = [...contents.map.filter((one) => one.heading !== heading), { heading, column: IGNORE }];
  const dates = format.dates.filter((one) => one.heading !== heading);
  const asked = { upload: params.upload, format: { ...format, dates }, isDryRun: true };
  await performHere(startImport, { ...asked, contents: { ...contents, map } });
  return redirect(pageOf(context));
}

/** With the settings of the dry run that the user has seen. */
async function startNow(context: UploadContext): Promise<Answer> {
  const { performHere, form, params } = context;
  const job = await jobOf(context);
  const running = importOf(job);
  // The form was sent twice.
  if (running !== null) return redirect(context.link(`/imports/${running}`));
  if (job === null || String(job.id) !== form.text("run"))
    throw new FormRefused({
      message: "There was another dry run of this file meanwhile. Check its result first.",
    });
  const settings: ImportSettings | null = settingsOf(job);
  if (settings === null)
    throw new FormRefused({ message: "The settings of the dry run were not kept. Choose them again." });
  const contents =
    settings.contents.kind === "subscribers"
      ? await withPlannedList(context, job.id, settings.contents)
      : settings.contents;
  const asked = { upload: params.upload, ...settings, contents, isDryRun: false };
  const started = await performHere(startImport, asked);
  return redirect(context.link(`/imports/${started.import ?? ""}`));
}

export const uploadPage = page({
  path: UPLOAD_PATH,
  role: "editor",
  takesFile: true,
  show,
  forms: {
    part: async (context) => {
      const { performHere, form } = context;
      const bytes = form.file("part")?.bytes ?? new Uint8Array();
      const offset = Number(form.text("offset"));
      try {
        await performHere(appendPart, { ...idOf(context), offset, bytes });
      } catch (error) {
        if (error instanceof InvalidInput && error.input === "offset")
          throw new FormRefused({
            message:
              "This is another file than the one whose upload began. Choose that file, or delete this upload and begin again.",
          });
        throw error;
      }
      return redirect(pageOf(context));
    },
    finish: async (context) => {
      await context.performHere(finishUpload, { ...idOf(context), sha256: null });
      return redirect(pageOf(context));
    },
    check: { submit: check, inputs: { name: "newList" } },
    import: startNow,
    "leave-out": leaveColumnOut,
    stop: async (context) => {
      const job = await jobOf(context);
      if (job !== null && job.ending === null) await context.performHere(cancelJob, { id: job.id });
      return redirect(`${pageOf(context)}?change`, "The dry run stops.");
    },
    delete: async (context) => {
      await context.performHere(deleteUpload, idOf(context));
      return redirect(context.link("/imports"), "The file is deleted.");
    },
  },
});

export const uploadEvents = ({ clock }: { readonly clock: Clock }) =>
  eventPage({
    path: "/{account}/imports/uploads/{upload}/events",
    role: "editor",
    events: ({ performHere, params, formats }, signal) => {
      const one = { id: params.upload };
      const read = async (): Promise<Moment | null> => {
        const job = await performHere(findUploadJob, { upload: params.upload });
        if (job === null || job.ending !== null) return null;
        return { job, size: (await performHere(findUpload, one)).size, at: clock(), counts: null };
      };
      return progressEvents(read, formats, signal);
    },
  });
