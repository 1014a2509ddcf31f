/** Every page of the console. */
import type { ConsoleOptions } from "./kit/context.ts";
import type { AnyPage } from "./kit/page.ts";
import { accountsPage } from "./pages/accounts/accounts.ts";
import { campaignPages } from "./pages/campaigns/pages.ts";
import { fieldPages } from "./pages/fields/field-pages.ts";
import { home } from "./pages/home.ts";
import { importPages } from "./pages/imports/pages.ts";
import { installationPages } from "./pages/installation/pages.ts";
import { changeKeyPage } from "./pages/integrations/change-key.ts";
import { integrationsPage } from "./pages/integrations/integrations.ts";
import { keyPage } from "./pages/integrations/key.ts";
import { newKeyPage } from "./pages/integrations/new-key.ts";
import { revokeKeyPage } from "./pages/integrations/revoke-key.ts";
import { jobEvents, jobPage } from "./pages/jobs/job.ts";
import { jobsPage } from "./pages/jobs/jobs.ts";
import { listPages } from "./pages/lists/list-pages.ts";
import { mePage } from "./pages/me/me.ts";
import { overviewPage } from "./pages/overview/overview.ts";
import { refusedCallPages } from "./pages/refused-calls/pages.ts";
import { searchPage } from "./pages/search/search.ts";
import { settingsPages } from "./pages/settings/pages.ts";
import { linkPage } from "./pages/sign-in/link.ts";
import { signInPage } from "./pages/sign-in/sign-in.ts";
import { signOutPage } from "./pages/sign-in/sign-out.ts";
import { subscriberPages } from "./pages/subscribers/pages.ts";

/** One line per section. */
export const pages = (options: ConsoleOptions): readonly AnyPage[] => [
  signInPage(options),
  linkPage(options),
  signOutPage,
  home,
  accountsPage,
  overviewPage(options),
  searchPage,
  ...campaignPages(options),
  ...fieldPages,
  ...importPages(options),
  ...[jobsPage, jobPage, jobEvents(options)],
  ...installationPages(options),
  ...listPages,
  ...[integrationsPage, newKeyPage, keyPage, changeKeyPage, revokeKeyPage],
  mePage,
  ...refusedCallPages,
  ...settingsPages,
  ...subscriberPages,
];
