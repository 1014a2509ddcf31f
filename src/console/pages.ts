/** Every page of the console. */

import type { Clock } from "#domain/clocks.ts";
import type { ConsoleOptions } from "./kit/options.ts";
import { type AnyPage, page, redirect } from "./kit/page.ts";
import { accountsPage } from "./pages/accounts.ts";
import { auditLogPages } from "./pages/audit-log.ts";
import { campaignPage } from "./pages/campaigns/campaign.ts";
import {
  campaignDeletionPage,
  campaignsPage,
  changeCampaignPage,
  recordCampaignPage,
} from "./pages/campaigns/campaigns.ts";
import { cancelPage, resumePage, retryPage } from "./pages/campaigns/change-state.ts";
import { composePage, editContentPage } from "./pages/campaigns/compose.ts";
import { dryRunPage } from "./pages/campaigns/dry-run.ts";
import { campaignPeoplePages } from "./pages/campaigns/people.ts";
import { previewMessagePage, previewPage } from "./pages/campaigns/preview.ts";
import { sendingEvents } from "./pages/campaigns/progress.ts";
import { recipientsPage, verifyPage } from "./pages/campaigns/recipients.ts";
import { sendPage } from "./pages/campaigns/send.ts";
import { fieldPages } from "./pages/fields.ts";
import { importEvents, importPage } from "./pages/imports/import.ts";
import { importsPage } from "./pages/imports/imports.ts";
import { rejectedDownload, uploadDownload } from "./pages/imports/progress.ts";
import { uploadEvents, uploadPage } from "./pages/imports/upload.ts";
import { installationPages } from "./pages/installation.ts";
import { integrationsPage } from "./pages/integrations/integrations.ts";
import { changeKeyPage, keyPage, revokeKeyPage } from "./pages/integrations/key.ts";
import { newKeyPage } from "./pages/integrations/new-key.ts";
import { jobEvents, jobPage } from "./pages/jobs/job.ts";
import { jobsPage } from "./pages/jobs/jobs.ts";
import { addSubscriberPage } from "./pages/lists/add-subscriber.ts";
import { exportListPage } from "./pages/lists/export-list.ts";
import { deleteListPage, listPage, removeMemberPage, renameListPage } from "./pages/lists/list.ts";
import { listsPage, newListPage } from "./pages/lists/lists.ts";
import { mePage } from "./pages/me.ts";
import { overviewPage } from "./pages/overview.ts";
import { refusedCallPage } from "./pages/refused-calls/call.ts";
import { dismissGroupPage, refusalGroupPage, replayGroupPage } from "./pages/refused-calls/group.ts";
import { refusedCallsPage } from "./pages/refused-calls/refused-calls.ts";
import { searchPage } from "./pages/search.ts";
import {
  changeSenderPage,
  deleteSenderPage,
  newSenderPage,
  newSigningKeyPage,
} from "./pages/senders/change-sender.ts";
import { senderPage } from "./pages/senders/sender.ts";
import { sendersPage } from "./pages/senders/senders.ts";
import { accountPage, deleteAccountPage } from "./pages/settings/account.ts";
import { addBlockPage, blocksPage, removeBlockPage } from "./pages/settings/blocks.ts";
import { tokensPage } from "./pages/settings/tokens.ts";
import { linkPage, signInPage, signOutPage } from "./pages/sign-in.ts";
import { changePage } from "./pages/subscribers/bulk-change.ts";
import { editPage } from "./pages/subscribers/edit.ts";
import { historyPage } from "./pages/subscribers/history.ts";
import { downloadPage, personPage, resultsPage } from "./pages/subscribers/person.ts";
import { subscribersPage } from "./pages/subscribers/subscribers.ts";
import { erasePage, reactivatePage, unsubscribePage } from "./pages/subscribers/suppression.ts";
import { userPages } from "./pages/users/user.ts";
import { newUserPages, usersPages } from "./pages/users/users.ts";

/** `/console`: leads to the only account of the user, or to the choice of one. */
const home = page({
  path: "/",
  show: async ({ accounts, base }) => {
    const [first, ...others] = accounts;
    return redirect(first === undefined || others.length > 0 ? `${base}/accounts` : `${base}/${first.id}`);
  },
});

/** The pages of campaigns that are composed here. */
const sendingPages = (options: { readonly clock: Clock }): readonly AnyPage[] => [
  ...[composePage, editContentPage, previewPage, previewMessagePage],
  ...[sendPage, dryRunPage, resumePage, cancelPage, retryPage],
  ...[recipientsPage, verifyPage, sendingEvents(options)],
];

const campaignPages = (options: { readonly clock: Clock }): readonly AnyPage[] => [
  campaignsPage,
  ...sendingPages(options),
  recordCampaignPage,
  campaignPage,
  ...campaignPeoplePages,
  changeCampaignPage,
  campaignDeletionPage,
];

const importPages = (options: ConsoleOptions): readonly AnyPage[] => [
  importsPage,
  uploadPage,
  uploadEvents(options),
  uploadDownload,
  importPage,
  importEvents(options),
  rejectedDownload,
];

/** The pages about lists. */
const listPages: readonly AnyPage[] = [
  listsPage,
  newListPage,
  listPage,
  addSubscriberPage,
  removeMemberPage,
  exportListPage,
  renameListPage,
  deleteListPage,
];

const refusedCallPages: readonly AnyPage[] = [
  refusedCallsPage,
  refusalGroupPage,
  replayGroupPage,
  dismissGroupPage,
  refusedCallPage,
];

/** The pages about senders. */
const senderPages: readonly AnyPage[] = [
  sendersPage,
  newSenderPage,
  senderPage,
  changeSenderPage,
  newSigningKeyPage,
  deleteSenderPage,
];

/** Every page of the settings of an account, and of the installation what is alike there. */
const settingsPages: readonly AnyPage[] = [
  accountPage,
  deleteAccountPage,
  ...senderPages,
  blocksPage,
  addBlockPage,
  removeBlockPage,
  ...usersPages,
  ...newUserPages,
  ...userPages,
  tokensPage,
  ...auditLogPages,
];

/** The pages of one subscriber. */
const personPages = [
  personPage,
  editPage,
  historyPage,
  resultsPage,
  unsubscribePage,
  reactivatePage,
  erasePage,
  downloadPage,
];

/** The section "Subscribers". */
const subscriberPages = [subscribersPage, changePage, ...personPages];

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
