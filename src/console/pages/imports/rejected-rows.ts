/**
 * The rejected rows of an import or a dry run as a file. Marketers open it in a spreadsheet, so cells are
 * disarmed unless the rows are asked for unchanged.
 */
import { readRejectedRows } from "#admin/imports/imports.ts";
import { disarmCsv, readUploadFrom } from "#admin/uploads.ts";
import { buttonLink } from "#html/components/buttons.ts";
import type { Html } from "#html/html.ts";
import { type Download, download, page } from "../../kit/page.ts";
import * as texts from "./rejected-rows.texts.ts";

const UNCHANGED = "unchanged";

export const rejectedLinks = (href: string): readonly Html[] => [
  buttonLink({ label: texts.download, href, icon: "export", isDownload: true }),
  buttonLink({
    ...{ label: texts.unchanged, href: `${href}?${UNCHANGED}` },
    ...{ icon: "export", isDownload: true, emphasis: "quiet" },
  }),
];

const csv = (fileName: string, chunks: Download["chunks"]): Download =>
  download({ fileName, contentType: "text/csv; charset=utf-8", chunks });

export const rejectedDownload = page({
  path: "/{account}/imports/{import}/rejected-rows",
  role: "editor",
  show: async ({ perform, account, params, query }) => {
    const { bytes } = await perform(readRejectedRows, { account: account.id, id: params.import });
    return csv(`import-${params.import}-rejected.csv`, query.has(UNCHANGED) ? bytes : disarmCsv(bytes));
  },
});

/** The rejected rows of a dry run are an upload. */
export const uploadDownload = page({
  path: "/{account}/imports/uploads/{upload}/content",
  role: "editor",
  show: async ({ perform, account, params, query }) => {
    const one = { account: account.id, id: params.upload, from: 0, isUnchanged: query.has(UNCHANGED) };
    const { upload, chunks } = await perform(readUploadFrom, one);
    return csv(upload.name, chunks);
  },
});
