/** Every page of the console. */

import type { ConsoleOptions } from "./kit/options.ts";
import { type AnyPage, page, redirect } from "./kit/page.ts";
import { accountsPage } from "./pages/accounts.ts";
import { auditLogPages } from "./pages/audit-log.ts";
import { campaignPage } from "./pages/campaigns/campaign.ts";
import { recordedPages } from "./pages/campaigns/campaigns.ts";
import { stepPages } from "./pages/campaigns/change-state.ts";
import { composePages } from "./pages/campaigns/compose.ts";
import { dryRunPage } from "./pages/campaigns/dry-run.ts";
import { campaignPeoplePages } from "./pages/campaigns/people.ts";
import { previewPages } from "./pages/campaigns/preview.ts";
import { sendingEvents } from "./pages/campaigns/progress.ts";
import { recipientPages } from "./pages/campaigns/recipients.ts";
import { sendPage } from "./pages/campaigns/send.ts";
import { versionPages } from "./pages/campaigns/versions.ts";
import { exportPages } from "./pages/export.ts";
import { fieldPages } from "./pages/fields.ts";
import { importEvents, importPage } from "./pages/imports/import.ts";
import { importsPage } from "./pages/imports/imports.ts";
import { downloadPages } from "./pages/imports/progress.ts";
import { undoPage } from "./pages/imports/undo.ts";
import { uploadEvents, uploadPage } from "./pages/imports/upload.ts";
import { installationPages } from "./pages/installation.ts";
import { integrationsPage } from "./pages/integrations/integrations.ts";
import { keyPages } from "./pages/integrations/key.ts";
import { newKeyPage } from "./pages/integrations/new-key.ts";
import { jobEvents, jobPage } from "./pages/jobs/job.ts";
import { jobsPage } from "./pages/jobs/jobs.ts";
import { listPages } from "./pages/lists/list.ts";
import { listsPages } from "./pages/lists/lists.ts";
import { mePage } from "./pages/me.ts";
import { overviewPage } from "./pages/overview.ts";
import { refusedCallPage } from "./pages/refused-calls/call.ts";
import { refusalGroupPages } from "./pages/refused-calls/group.ts";
import { refusedCallsPage } from "./pages/refused-calls/refused-calls.ts";
import { searchPage } from "./pages/search.ts";
import { changeSenderPages } from "./pages/senders/change-sender.ts";
import { senderPage } from "./pages/senders/sender.ts";
import { sendersPage } from "./pages/senders/senders.ts";
import { webhookPages } from "./pages/senders/webhook.ts";
import { accountPages } from "./pages/settings/account.ts";
import { blockPages } from "./pages/settings/blocks.ts";
import { tokensPage } from "./pages/settings/tokens.ts";
import { codePage, linkPage, signInPage, signOutPage, themePage } from "./pages/sign-in.ts";
import { addSubscriberPage } from "./pages/subscribers/add.ts";
import { changePage } from "./pages/subscribers/bulk-change.ts";
import { editPage } from "./pages/subscribers/edit.ts";
import { historyPage } from "./pages/subscribers/history.ts";
import { personPages } from "./pages/subscribers/person.ts";
import { subscribersPage } from "./pages/subscribers/subscribers.ts";
import { suppressionPages } from "./pages/subscribers/suppression.ts";
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

/** One line per section. */
export const pages = (options: ConsoleOptions): readonly AnyPage[] => [
  ...[signInPage(options), codePage(options), linkPage(options), signOutPage, themePage],
  ...[home, accountsPage, overviewPage(options), searchPage],
  ...[...recordedPages, campaignPage, ...campaignPeoplePages],
  ...[...composePages, ...previewPages, ...versionPages, sendPage, dryRunPage, ...stepPages],
  ...[...recipientPages, sendingEvents(options)],
  ...fieldPages,
  ...[
    importsPage,
    uploadPage,
    uploadEvents(options),
    importPage,
    importEvents(options),
    undoPage,
    ...downloadPages,
  ],
  ...[jobsPage, jobPage, jobEvents(options)],
  ...installationPages(options),
  ...[...listsPages, ...listPages, ...exportPages],
  ...[integrationsPage, newKeyPage, ...keyPages],
  mePage,
  ...[refusedCallsPage, ...refusalGroupPages, refusedCallPage],
  ...[
    ...accountPages,
    sendersPage(options),
    senderPage(options),
    ...changeSenderPages(options),
    ...webhookPages,
    ...blockPages,
  ],
  ...[...usersPages, ...newUserPages, ...userPages, tokensPage, ...auditLogPages],
  ...[
    subscribersPage,
    addSubscriberPage,
    changePage,
    editPage,
    historyPage,
    ...personPages,
    ...suppressionPages,
  ],
];
