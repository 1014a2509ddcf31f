/** Imports of uploads: a preview, and the import as a job. */
import { type Static, Type } from "typebox";
import {
  findImport,
  listImports,
  type RecordedImport,
  readRejectedRows,
  undoImport,
} from "#admin/imports/imports.ts";
import { foundFormats, previewImport, productLabels, startImport } from "#admin/imports/start-import.ts";
import type { InvalidInput } from "#admin/kit/errors.ts";
import { disarmCsv } from "#admin/uploads.ts";
import { separators, separatorWord, separatorWords } from "#csv/write-csv.ts";
import { rowsOf } from "#domain/import/batch.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { ActorSchema } from "../kit/actor.ts";
import { jobOrNull, startsJob, WithJob } from "../kit/jobs.ts";
import { ProblemOrNull, problemDocument, problemOf } from "../kit/problems.ts";
import { idsOf, type Route, route, streamRoute } from "../kit/route.ts";
import {
  Id,
  Input,
  idOrNull,
  Named,
  NamedInput,
  Nullable,
  OneOf,
  pageOfRows,
  readId,
  Time,
  written,
} from "../kit/schemas.ts";
import { spreadsheetSafe } from "./uploads.ts";

/** Imports of an account: when, by whom, and what came of them. */
const Count = (description?: string) => Type.Integer(description === undefined ? {} : { description });
const ValueCount = (description: string) =>
  Type.Object({ subscribers: Count(), values: Count() }, { description });
const SubscriberCounts = Type.Object(
  {
    added: Count(),
    alreadyThere: Count(),
    pending: Count("Already on the list, but not yet confirmed by the person."),
    suppressed: Type.Object({
      unsubscribed: Count(),
      bounced: Count(),
      complained: Count(),
      blocked: Count(),
      erased: Count(),
    }),
    leftSince: Count("Not added, because the person left the list after the date in the file."),
    duplicates: Count(),
    rejected: Count(),
    newSubscribers: Count(),
    updated: ValueCount("How many existing subscribers got new values, and how many values."),
    keptNewer: ValueCount(
      "How many values were kept, because they were not set by an import, and of how many subscribers.",
    ),
    newBlocks: Count(),
  },
  { description: "Of an import into a list." },
);
const SuppressionCounts = Type.Object(
  { recorded: Count(), newBlocks: Count(), noOps: Count(), rejected: Count() },
  { description: "Of an import of suppressions." },
);
const ImportSchema = Named("Import", {
  id: Id(),
  listId: Nullable(Id("null: an import of suppressions, which has no list.")),
  fileName: Type.String(),
  actor: ActorSchema,
  startedAt: Time(),
  endedAt: Nullable(Time("null: it is still running, or was interrupted.")),
  rowCount: Count("How many rows were read so far."),
  hasRejectedRows: Type.Boolean({
    description: "Whether the rows that it rejected can be downloaded from `rejected-rows`.",
  }),
  counts: Type.Union([SubscriberCounts, SuppressionCounts]),
  undoableUntilAt: Nullable(Time("null: it cannot be undone, or not any more.")),
  undoneAt: Nullable(Time("null: it was not undone.")),
});
const toImport = (batch: RecordedImport) => ({
  ...written({ ...batch, listId: batch.list, endedAt: batch.finishedAt }),
  rowCount: rowsOf(batch.counts),
  hasRejectedRows: batch.rejectedUpload !== null,
});

export const importRoutes = [
  route("GET /accounts/{account}/imports", {
    summary: "List the imports of an account",
    description: "The newest first.",
    action: listImports,
    ...pageOfRows(ImportSchema, toImport),
  }),
  route("GET /accounts/{account}/imports/{import}", {
    summary: "Show an import with its counts",
    action: findImport,
    reply: ImportSchema,
    answer: toImport,
  }),
  streamRoute("GET /accounts/{account}/imports/{import}/rejected-rows", {
    summary: "Download the rows that an import rejected, as CSV",
    description:
      "The rows of the file, after the columns `rejected_line` and `rejected_reason`. Correct the file, and import it again: these two columns are ignored then. While the import is running, you get the rows so far. The rows are deleted after a day, and when a subscriber of the account is erased. 409 if there are none.",
    mayConflict: true,
    action: readRejectedRows,
    query: Type.Object({ spreadsheetSafe }),
    contentType: "text/csv; charset=utf-8",
    stream: ({ upload, bytes }, { query }) => ({
      fileName: `import-${upload.rejectedBy ?? upload.id}-rejected.csv`,
      chunks: query.spreadsheetSafe === false ? bytes : disarmCsv(bytes),
    }),
  }),
  route("POST /accounts/{account}/imports/{import}/undo", {
    summary: "Undo an import, or count what that would do",
    description:
      "A job removes the subscribers whom the import added, deletes those whom it created, and restores the values that it replaced. It changes nothing that a call, an operator or the person has changed since, and no opt-out. Lists and fields stay. An import can be undone for 30 days. Undo the latest of several imports first. 409 if the import cannot be undone, is still running, or is being undone; the message has the reason and what to do.",
    action: undoImport,
    body: Input({
      dryRun: Type.Optional(
        Type.Boolean({ description: "Whether to change nothing, and only count what would be done." }),
      ),
    }),
    args: ({ params, body: { dryRun = false } }) => ({ ...idsOf(params), isDryRun: dryRun }),
    ...startsJob,
  }),
];

const asked = {
  uploadId: Id("The id of a finished upload."),
  contents: Type.Union([
    Input({
      kind: Type.Literal("subscribers"),
      listId: Id("The id of the list that the subscribers are added to."),
      overwrite: Type.Optional(
        Type.Boolean({ description: "Whether to replace values, too, that were not set by an import." }),
      ),
      map: Type.Optional(
        Type.Array(Input({ heading: Type.String(), column: Type.String() }), {
          maxItems: 1000,
          description:
            "The meaning of headings that are not recognised: which column each of them is. The column `ignore` skips it, `new_field` creates a text field with the name of the heading, and `json_attributes` creates a field for each attribute of JSON objects (at most 50).",
        }),
      ),
      ignoreUnknown: Type.Optional(
        Type.Boolean({ description: "Whether to skip all columns that are not recognised." }),
      ),
      header: Type.Optional(
        Type.Boolean({
          description:
            'Whether the first row names the columns, which is the default. If not, `map` and `dates` name the columns by number: the heading of the first one is "1".',
        }),
      ),
      strict: Type.Optional(
        Type.Boolean({
          description:
            "Whether a value that is not valid rejects its row. Otherwise the person is imported without it, unless it is the address, the state, or the date of a suppression.",
        }),
      ),
    }),
    Input({
      kind: Type.Literal("suppressions"),
      as: Type.Optional(OneOf(suppressionKinds, "The kind of suppression for rows that do not say it.")),
    }),
  ]),
  separator: Type.Optional(
    OneOf(separatorWords, "The character between columns. If it is not given, it is detected."),
  ),
  encoding: Type.Optional(
    Type.String({
      maxLength: 40,
      examples: ["windows-1252"],
      description: "The character encoding of the file. If it is not given, it is detected.",
    }),
  ),
  sheet: Type.Optional(
    Type.String({
      maxLength: 255,
      examples: ["Sheet1"],
      description:
        "The name of the sheet, if the upload is an Excel workbook. If it is not given, the first one with rows is read.",
    }),
  ),
  dates: Type.Optional(
    Type.Array(
      Input({
        heading: Type.Optional(
          Type.String({
            description:
              "The heading of a date column. If it is not given: all date columns that are not named here.",
          }),
        ),
        order: OneOf(["dmy", "mdy"], "Day or month first, in dates such as 3/4/2026."),
      }),
      { maxItems: 1000 },
    ),
  ),
};
const Asked = Input(asked);
const Started = NamedInput("NewImport", {
  ...asked,
  dryRun: Type.Optional(
    Type.Boolean({ description: "Whether to change nothing, and only count what the import would do." }),
  ),
});
const toAsked = ({ uploadId, contents, separator, encoding, sheet, dates = [] }: Static<typeof Asked>) => ({
  upload: readId(uploadId),
  format: {
    separator: separator === undefined ? null : separators[separator],
    encoding: encoding ?? null,
    sheet: sheet ?? null,
    dates: dates.map(({ heading = null, order }) => ({ heading, order })),
  },
  contents:
    contents.kind === "suppressions"
      ? { kind: contents.kind, as: contents.as ?? null }
      : {
          kind: contents.kind,
          list: readId(contents.listId),
          overwrite: contents.overwrite ?? false,
          map: contents.map ?? [],
          ignoresUnknown: contents.ignoreUnknown ?? false,
          isStrict: contents.strict ?? false,
          hasHeader: contents.header ?? true,
        },
});
/** Where the inputs of the actions are in the body. */
const inputs = {
  upload: "uploadId",
  list: "contents/listId",
  map: "contents/map",
  as: "contents/as",
};

const PreviewedColumn = Type.Object({
  heading: Nullable(
    Type.String({
      description: 'null: the file has no header. The number of the column names it then, from "1".',
    }),
  ),
  column: Nullable(
    Type.String({
      description:
        "The column or custom field that it is read as: as `map` says, by its heading, or because nearly all of its first values are of it (address, state, country or gender). `ignore`: it is skipped; null: it is not recognised.",
    }),
  ),
  dateOrder: Nullable(
    OneOf(
      foundFormats,
      "Of a column of dates, as the first rows have them, or as `dates` says. `ymd`: the year comes first, and nothing needs to be given. `dmy`, `mdy`: the day or the month comes first. `ambiguous`: give the order in `dates`, unless later rows make it clear. `mixed`: the file has dates of both orders; correct it, or give an order, and values of the other one are not valid. null: it is not a column of dates, or no dates were found.",
    ),
  ),
  samples: Type.Array(Type.String(), { description: "Some different values of the column." }),
});

const previewRoute: Route = route("POST /accounts/{account}/imports:preview", {
  summary: "Preview the import of an upload",
  description:
    "Returns what the columns mean, and the first rows. Nothing is changed. Of a large CSV file, only the first MiB is read.",
  action: previewImport,
  body: Asked,
  args: ({ params, body }) => ({ ...params, ...toAsked(body) }),
  inputs,
  reply: Type.Object({
    separator: Nullable(
      OneOf(
        separatorWords,
        "The character between columns; null: another one, which the file itself declares, or none, because it is an Excel workbook.",
      ),
    ),
    sheets: Nullable(
      Type.Object(
        {
          names: Type.Array(Type.String(), { description: "All sheets that are not hidden." }),
          name: Type.String({ description: "The one that is read." }),
        },
        { description: "The sheets of an Excel workbook; null: the upload is none." },
      ),
    ),
    hasHeader: Type.Boolean({ description: "Whether the first row names the columns." }),
    product: Nullable(
      Type.String({
        description: `The product whose export the file is (${productLabels.join(", ")}): its columns and its words for states are read as the product means them, and headings that mean nothing here are left out. null: not recognised.`,
      }),
    ),
    columns: Type.Array(PreviewedColumn),
    rows: Type.Array(Type.Array(Type.String()), {
      description: "The first rows after the header, at most 10. Long values are cut.",
    }),
    names: Type.Array(
      Type.Object({ fullName: Type.String(), firstName: Type.String(), lastName: Type.String() }),
      {
        description:
          "If a column has whole names, which are split at the last space: how some of the first ones are split. A name without a space, or with a comma, is the first name as a whole.",
      },
    ),
    problem: ProblemOrNull(
      "What `POST imports` would reply to this request, a problem document (RFC 9457); null: it would start.",
    ),
  }),
  answer: ({ separator, sheets, hasHeader, product, columns, rows, names, problem }, { base }) => ({
    separator: separator === null ? null : separatorWord(separator),
    sheets: sheets === null ? null : { ...sheets, names: [...sheets.names] },
    ...{ hasHeader, product: product?.label ?? null },
    columns: columns.map(({ heading, column, dates, samples }) => ({
      ...{ heading, column, dateOrder: dates, samples: [...samples] },
    })),
    rows: rows.map((cells) => [...cells]),
    names: names.map(({ whole, first, last }) => ({ fullName: whole, firstName: first, lastName: last })),
    problem: documentOf(problem, base),
  }),
});

function documentOf(error: InvalidInput | null, base: string) {
  const problem = error === null ? null : problemOf(error, previewRoute);
  return problem === null ? null : problemDocument(problem, base);
}

export const startImportRoutes = [
  previewRoute,
  route("POST /accounts/{account}/imports", {
    summary: "Import an upload",
    description:
      "A job imports the upload. Its result has the counts. If rows were rejected, they can be downloaded from `imports/{import}/rejected-rows`; those of a dry run are an upload, whose id is in the result.",
    action: startImport,
    body: Started,
    args: ({ params, body: { dryRun = false, ...body } }) => ({
      ...params,
      ...toAsked(body),
      isDryRun: dryRun,
    }),
    inputs,
    status: 202,
    reply: WithJob({ importId: Nullable(Id("The id of the import; null: it is a dry run.")) }),
    answer: ({ import: id, job }, { now }) => ({
      importId: idOrNull(id),
      job: jobOrNull(job, now),
    }),
  }),
];
