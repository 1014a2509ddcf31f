/** What somebody should know about a file before it is imported. */
import { sentence } from "#admin/error-texts.ts";
import { listImports } from "#admin/imports/imports.ts";
import type { Preview } from "#admin/imports/start-import.ts";
import { listUploads } from "#admin/uploads.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { Upload } from "#domain/import/upload.ts";
import type { Job } from "#domain/job/job.ts";
import { notice } from "#html/components/feedback.ts";
import { type Html, html } from "#html/html.ts";
import * as texts from "./upload.texts.ts";

const LOOKED_AT = 100;

type Asker = Pick<
  Visit<"/{account}/imports/uploads/{upload}">,
  "perform" | "account" | "link" | "formats" | "now"
>;

export async function noticesOf(
  visit: Asker,
  upload: Upload,
  preview: Preview,
  job: Job | null,
): Promise<readonly Html[]> {
  return [...jobNotices(job), ...headerNotices(preview), ...(await twinNotices(visit, upload))];
}

function jobNotices(job: Job | null): readonly Html[] {
  if (job?.ending === "cancelled") return [notice("info", texts.cancelled)];
  if (job?.ending !== "failed") return [];
  const title = typeof job.result?.import === "number" ? texts.importFailed : texts.failed;
  return [notice("bad", title, sentence(job.lastError ?? ""))];
}

function headerNotices({ columns, hasHeader, rows }: Preview): readonly Html[] {
  const addressed = columns.find(({ heading }) => heading?.includes("@") === true)?.heading;
  if (hasHeader && addressed != null)
    return [notice("warning", texts.noHeader, texts.noHeaderText(addressed))];
  const isFound =
    columns.some(({ column, suggestion }) => (column ?? suggestion) === "email") ||
    rows.some((cells) => cells.some((cell) => cell.includes("@")));
  return isFound ? [] : [notice("warning", texts.noAddresses, texts.noAddressesText)];
}

/** The same file, as far as its name and size tell. */
async function twinNotices(
  { perform, account, link, formats, now }: Asker,
  { id, name, size, createdAt }: Upload,
): Promise<readonly Html[]> {
  const { rows } = await perform(listImports, { account: account.id, limit: LOOKED_AT });
  const before = rows.find(({ fileName }) => fileName === name);
  const twin = (await perform(listUploads, { account: account.id })).find(
    (one) => one.id !== id && one.name === name && one.size === size && one.createdAt <= createdAt,
  );
  const leading = (text: string, href: string): Html => html`${text} <a href="${href}">${texts.look}</a>`;
  return [
    ...(before === undefined
      ? []
      : [
          notice(
            "info",
            texts.importedBefore,
            leading(
              texts.importedBeforeText(formats.ago(before.startedAt, now), before.actor.name ?? "somebody"),
              link(`/imports/${before.id}`),
            ),
          ),
        ]),
    ...(twin === undefined
      ? []
      : [
          notice(
            "info",
            texts.waitsTwice,
            leading(texts.waitsTwiceText, link(`/imports/uploads/${twin.id}`)),
          ),
        ]),
  ];
}
