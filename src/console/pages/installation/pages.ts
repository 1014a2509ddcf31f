/** Every page of the installation, but those that an account has as well. */
import type { AnyPage } from "../../kit/page.ts";
import { installationJobsPage } from "./jobs.ts";
import { settingsPage } from "./settings.ts";

export const installationPages: readonly AnyPage[] = [settingsPage, installationJobsPage];
