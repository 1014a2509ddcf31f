/** Every page of the console. */
import type { ConsoleOptions } from "./kit/context.ts";
import type { AnyPage } from "./kit/page.ts";
import { home } from "./pages/home.ts";
import { importPages } from "./pages/imports/pages.ts";
import { jobEvents, jobPage } from "./pages/jobs/job.ts";
import { jobsPage } from "./pages/jobs/jobs.ts";
import { mePage } from "./pages/me/me.ts";
import { linkPage } from "./pages/sign-in/link.ts";
import { signInPage } from "./pages/sign-in/sign-in.ts";
import { signOutPage } from "./pages/sign-in/sign-out.ts";

/** One line per section. */
export const pages = (options: ConsoleOptions): readonly AnyPage[] => [
  signInPage(options),
  linkPage(options),
  signOutPage,
  home,
  ...importPages(options),
  ...[jobsPage, jobPage, jobEvents(options)],
  mePage,
];
