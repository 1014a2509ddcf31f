/** Every page of the console. */
import type { ConsoleOptions } from "./kit/context.ts";
import type { AnyPage } from "./kit/page.ts";
import { campaignPage } from "./pages/campaigns/campaign.ts";
import { campaignsPage } from "./pages/campaigns/campaigns.ts";
import { changeCampaignPage } from "./pages/campaigns/change.ts";
import { campaignDeletionPage } from "./pages/campaigns/deletion.ts";
import { campaignPeoplePages } from "./pages/campaigns/people.ts";
import { recordCampaignPage } from "./pages/campaigns/record.ts";
import { home } from "./pages/home.ts";
import { jobEvents, jobPage } from "./pages/jobs/job.ts";
import { jobsPage } from "./pages/jobs/jobs.ts";
import { mePage } from "./pages/me/me.ts";
import { refusedCallPage } from "./pages/refused-calls/call.ts";
import { refusalGroupPage } from "./pages/refused-calls/group.ts";
import { refusedCallsPage } from "./pages/refused-calls/refused-calls.ts";
import { dismissGroupPage, replayGroupPage } from "./pages/refused-calls/whole-group.ts";
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
  ...[campaignsPage, recordCampaignPage, campaignPage, changeCampaignPage, campaignDeletionPage],
  ...campaignPeoplePages,
  ...[jobsPage, jobPage, jobEvents(options)],
  mePage,
  ...[refusedCallsPage, refusalGroupPage, replayGroupPage, dismissGroupPage, refusedCallPage],
  ...subscriberPages,
];
