/** Imports of uploads: a preview, and the import as a job. */
import { type Static, Type } from "typebox";
import { previewImport, startImport } from "../../../admin/imports/start-import.ts";
import { suppressionKinds } from "../../../domain/subscriber.ts";
import { jobOrNull, WithJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Id, Input, Nullable, OneOf, readId } from "../kit/schemas.ts";

const asked = {
  upload: Id("Of a finished upload."),
  contents: Type.Union([
    Input({
      kind: Type.Literal("subscribers"),
      list: Id("The list that they are added to."),
      overwrite: Type.Optional(
        Type.Boolean({ description: "Also replace values that were not set by an import." }),
      ),
      map: Type.Optional(
        Type.Array(Input({ heading: Type.String(), column: Type.String() }), {
          maxItems: 1000,
          description: "What the headings mean that are not recognised; the column `ignore` skips one.",
        }),
      ),
      ignoreUnknown: Type.Optional(Type.Boolean({ description: "Skip columns that are not recognised." })),
    }),
    Input({
      kind: Type.Literal("suppressions"),
      as: Type.Optional(OneOf(suppressionKinds, "The kind of the rows that name none.")),
    }),
  ]),
  separator: Type.Optional(
    Type.String({ pattern: '^[^"\\r\\n]$', description: "One character. Without it, it is detected." }),
  ),
  encoding: Type.Optional(
    Type.String({ maxLength: 40, examples: ["windows-1252"], description: "Without it, it is detected." }),
  ),
  dates: Type.Optional(
    Type.Array(
      Input({
        heading: Type.Optional(Type.String({ description: "A column; without it, all others." })),
        order: OneOf(["dmy", "mdy"], "Day or month first, in dates such as 3/4/2026."),
      }),
      { maxItems: 1000 },
    ),
  ),
};
const Asked = Input(asked);
const Started = Input({
  ...asked,
  dryRun: Type.Optional(Type.Boolean({ description: "Only count what would be done." })),
});
const toAsked = ({ upload, contents, separator, encoding, dates = [] }: Static<typeof Asked>) => ({
  upload: readId(upload),
  format: {
    separator: separator ?? null,
    encoding: encoding ?? null,
    dates: dates.map(({ heading = null, order }) => ({ heading, order })),
  },
  contents:
    contents.kind === "suppressions"
      ? { kind: contents.kind, as: contents.as ?? null }
      : {
          kind: contents.kind,
          list: readId(contents.list),
          overwrite: contents.overwrite ?? false,
          map: contents.map ?? [],
          ignoresUnknown: contents.ignoreUnknown ?? false,
        },
});
const tag = "Imports";

export const startImportRoutes = [
  route({
    method: "POST",
    path: "/accounts/{account}/imports:preview",
    tag,
    summary: "Preview the import of an upload",
    description: "What its columns mean, and its first rows. Nothing is changed.",
    action: previewImport,
    body: Asked,
    args: ({ params, body }) => ({ ...params, ...toAsked(body) }),
    status: 200,
    reply: Type.Object({
      separator: Type.String(),
      columns: Type.Array(
        Type.Object({
          heading: Type.String(),
          column: Nullable(Type.String({ description: "What it is read as; null: it is not recognised." })),
          meant: Nullable(Type.String({ description: "What an unknown heading probably means." })),
        }),
      ),
      rows: Type.Array(Type.Array(Type.String())),
      problem: Nullable(
        Type.Object(
          { input: Type.String(), text: Type.String() },
          { description: "Why it cannot be imported as asked; null: it can." },
        ),
      ),
    }),
    answer: ({ separator, columns, rows, problem }) => ({
      separator,
      columns: columns.map((column) => ({ ...column })),
      rows: rows.map((cells) => [...cells]),
      problem,
    }),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/imports",
    tag,
    summary: "Import an upload",
    description:
      "As a job. Its result has the counts, and the upload that contains the rejected rows, if there are any.",
    action: startImport,
    body: Started,
    args: ({ params, body: { dryRun = false, ...body } }) => ({
      ...params,
      ...toAsked(body),
      isDryRun: dryRun,
    }),
    status: 202,
    reply: WithJob({ import: Nullable(Id("null: a dry run.")) }),
    answer: ({ import: id, job }, { now }) => ({
      import: id === null ? null : String(id),
      job: jobOrNull(job, now),
    }),
  }),
];
