/** The pages of imports. */
import type { ConsoleOptions } from "../../kit/context.ts";
import type { AnyPage } from "../../kit/page.ts";
import { importEvents, importPage } from "./import.ts";
import { importsPage } from "./imports.ts";
import { rejectedDownload, uploadDownload } from "./rejected-rows.ts";
import { uploadEvents, uploadPage } from "./upload/upload.ts";

export const importPages = (options: ConsoleOptions): readonly AnyPage[] => [
  importsPage,
  uploadPage,
  uploadEvents(options),
  uploadDownload,
  importPage,
  importEvents(options),
  rejectedDownload,
];
