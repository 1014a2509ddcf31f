/** Every page of the installation, but those that an account has as well. */
import type { ConsoleOptions } from "../../kit/context.ts";
import type { AnyPage } from "../../kit/page.ts";
import { installationJobEvents, installationJobPage } from "../jobs/job.ts";
import { installationJobsPage } from "./jobs.ts";
import { settingsPage } from "./settings.ts";

export const installationPages = (options: ConsoleOptions): readonly AnyPage[] => [
  settingsPage,
  installationJobsPage,
  installationJobPage,
  installationJobEvents(options),
];
