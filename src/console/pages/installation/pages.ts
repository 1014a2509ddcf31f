/** Every page of the installation, but those that an account has as well. */
import type { AnyPage } from "../../kit/page.ts";
import { accountsPages } from "./accounts.ts";
import { installationJobsPage } from "./jobs.ts";
import { settingsPage } from "./settings.ts";

export const installationPages: readonly AnyPage[] = [settingsPage, ...accountsPages, installationJobsPage];
