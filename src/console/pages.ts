/** Every page of the console. */
import type { ConsoleOptions } from "./kit/context.ts";
import type { AnyPage } from "./kit/page.ts";
import { home } from "./pages/home.ts";
import { installationPages } from "./pages/installation/pages.ts";
import { jobEvents, jobPage } from "./pages/jobs/job.ts";
import { jobsPage } from "./pages/jobs/jobs.ts";
import { mePage } from "./pages/me/me.ts";
import { settingsPages } from "./pages/settings/pages.ts";
import { linkPage } from "./pages/sign-in/link.ts";
import { signInPage } from "./pages/sign-in/sign-in.ts";
import { signOutPage } from "./pages/sign-in/sign-out.ts";

/** One line per section. */
export const pages = (options: ConsoleOptions): readonly AnyPage[] => [
  signInPage(options),
  linkPage(options),
  signOutPage,
  home,
  ...[jobsPage, jobPage, jobEvents(options)],
  ...installationPages,
  mePage,
  ...settingsPages,
];
