/** Imports of uploads: a preview, and the import as a job. */
import { type Static, Type } from "typebox";
import { previewImport, startImport } from "../../../admin/imports/start-import.ts";
import { suppressionKinds } from "../../../domain/subscriber.ts";
import { jobOrNull, WithJob } from "../kit/jobs.ts";
import { NamedInput } from "../kit/named.ts";
import { route } from "../kit/route.ts";
import { Id, Input, Nullable, OneOf, readId } from "../kit/schemas.ts";

const asked = {
  upload: Id("The id of a finished upload."),
  contents: Type.Union([
    Input({
      kind: Type.Literal("subscribers"),
      list: Id("The id of the list that the subscribers are added to."),
      overwrite: Type.Optional(
        Type.Boolean({ description: "Whether to replace values, too, that were not set by an import." }),
      ),
      map: Type.Optional(
        Type.Array(Input({ heading: Type.String(), column: Type.String() }), {
          maxItems: 1000,
          description:
            "The meaning of headings that are not recognised: which column each of them is. The column `ignore` skips it.",
        }),
      ),
      ignoreUnknown: Type.Optional(
        Type.Boolean({ description: "Whether to skip all columns that are not recognised." }),
      ),
    }),
    Input({
      kind: Type.Literal("suppressions"),
      as: Type.Optional(OneOf(suppressionKinds, "The kind of suppression for rows that do not say it.")),
    }),
  ]),
  separator: Type.Optional(
    Type.String({
      pattern: '^[^"\\r\\n]$',
      description: "The character between columns. If it is not given, it is detected.",
    }),
  ),
  encoding: Type.Optional(
    Type.String({
      maxLength: 40,
      examples: ["windows-1252"],
      description: "The character encoding of the file. If it is not given, it is detected.",
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
    description: "Returns what the columns mean, and the first rows. Nothing is changed.",
    action: previewImport,
    body: Asked,
    args: ({ params, body }) => ({ ...params, ...toAsked(body) }),
    status: 200,
    reply: Type.Object({
      separator: Type.String(),
      columns: Type.Array(
        Type.Object({
          heading: Type.String(),
          column: Nullable(
            Type.String({
              description:
                "The column or custom field that the heading is read as; null: it is not recognised.",
            }),
          ),
          meant: Nullable(
            Type.String({
              description: "For a heading that is not recognised: the column that it probably means.",
            }),
          ),
        }),
      ),
      rows: Type.Array(Type.Array(Type.String())),
      problem: Nullable(
        Type.Object(
          { input: Type.String(), text: Type.String() },
          { description: "Why the upload cannot be imported with this request; null: it can." },
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
      "A job imports the upload. Its result has the counts and, if rows were rejected, the id of an upload that contains them.",
    action: startImport,
    body: Started,
    args: ({ params, body: { dryRun = false, ...body } }) => ({
      ...params,
      ...toAsked(body),
      isDryRun: dryRun,
    }),
    status: 202,
    reply: WithJob({ import: Nullable(Id("The id of the import; null: it is a dry run.")) }),
    answer: ({ import: id, job }, { now }) => ({
      import: id === null ? null : String(id),
      job: jobOrNull(job, now),
    }),
  }),
];
