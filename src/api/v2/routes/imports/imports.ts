/** Imports of an account: when, by whom, and what came of them. */
import { Type } from "typebox";
import { findImport, listImports, type RecordedImport, readRejectedRows } from "#admin/imports/imports.ts";
import { disarmCsv } from "#admin/uploads.ts";
import { rowsOf } from "#domain/import/batch.ts";
import { ActorSchema } from "../../kit/actor.ts";
import { Named } from "../../kit/named.ts";
import { route, streamRoute } from "../../kit/route.ts";
import {
  Collection,
  collection,
  Id,
  Nullable,
  pageOf,
  pageQuery,
  Time,
  time,
  timeOrNull,
} from "../../kit/schemas.ts";
import { spreadsheetSafe } from "./uploads.ts";

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
});
const toImport = (batch: RecordedImport) => ({
  id: String(batch.id),
  listId: batch.list === null ? null : String(batch.list),
  fileName: batch.fileName,
  actor: batch.actor,
  startedAt: time(batch.startedAt),
  endedAt: timeOrNull(batch.finishedAt),
  rowCount: rowsOf(batch.counts),
  hasRejectedRows: batch.rejectedUpload !== null,
  counts: batch.counts,
});

const tag = "Imports";

export const importRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/imports",
    tag,
    summary: "List the imports of an account",
    description: "The newest first.",
    action: listImports,
    query: Type.Object(pageQuery),
    args: ({ params, query }) => ({ ...params, ...pageOf(query) }),
    status: 200,
    reply: Collection(ImportSchema),
    answer: (page) => collection(page, toImport),
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/imports/{import}",
    tag,
    summary: "Show an import with its counts",
    action: findImport,
    args: ({ params }) => ({ account: params.account, id: params.import }),
    status: 200,
    reply: ImportSchema,
    answer: toImport,
  }),
  streamRoute({
    method: "GET",
    path: "/accounts/{account}/imports/{import}/rejected-rows",
    tag,
    summary: "Download the rows that an import rejected, as CSV",
    description:
      "The rows of the file, after the columns `rejected_line` and `rejected_reason`. Correct the file, and import it again: these two columns are ignored then. While the import is running, you get the rows so far. The rows are deleted after a day, and when a subscriber of the account is erased. 409 if there are none.",
    mayConflict: true,
    action: readRejectedRows,
    query: Type.Object({ spreadsheetSafe }),
    args: ({ params }) => ({ account: params.account, id: params.import }),
    contentType: "text/csv; charset=utf-8",
    stream: ({ upload, bytes }, { query }) => ({
      fileName: `import-${upload.rejectedBy ?? upload.id}-rejected.csv`,
      chunks: query.spreadsheetSafe === false ? bytes : disarmCsv(bytes),
    }),
  }),
];
