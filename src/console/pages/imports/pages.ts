/** The pages of imports. */
import type { AnyPage } from "../../kit/page.ts";
import { importEvents, importPage, rejectedDownload, uploadDownload } from "./import.ts";
import { importsPage } from "./imports.ts";
import { uploadEvents, uploadPage } from "./upload.ts";

export const importPages: readonly AnyPage[] = [
  importsPage,
  uploadPage,
  uploadEvents,
  uploadDownload,
  importPage,
  importEvents,
  rejectedDownload,
];
