/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { auditRoutes } from "./routes/audit.ts";
import { blockRoutes } from "./routes/blocks.ts";
import { campaignRoutes } from "./routes/campaigns/campaigns.ts";
import { composeRoutes } from "./routes/campaigns/compose.ts";
import { campaignEventRoutes, campaignResultRoutes } from "./routes/campaigns/events.ts";
import { ledgerRoutes } from "./routes/campaigns/ledger.ts";
import { sendingRoutes } from "./routes/campaigns/sending.ts";
import { fieldRoutes } from "./routes/fields.ts";
import { importRoutes, startImportRoutes } from "./routes/imports.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listExportRoute, listRoutes } from "./routes/lists.ts";
import { overviewRoute } from "./routes/overview.ts";
import { refusalGroupRoutes, refusedCallRoutes } from "./routes/refused-calls.ts";
import { searchRoutes } from "./routes/search.ts";
import { senderRoutes } from "./routes/senders.ts";
import { settingRoutes } from "./routes/settings.ts";
import { statisticsRoutes } from "./routes/statistics.ts";
import { batchRoute } from "./routes/subscribers/batch.ts";
import { addressRoute, bulkRoutes } from "./routes/subscribers/bulk.ts";
import { oneSubscriberRoutes } from "./routes/subscribers/one-subscriber.ts";
import { shownSubscriberRoutes } from "./routes/subscribers/record.ts";
import { subscriberRoutes } from "./routes/subscribers/subscribers.ts";
import { uploadRoutes } from "./routes/uploads.ts";
import { meRoutes } from "./routes/users/me.ts";
import { sessionRoutes } from "./routes/users/sessions.ts";
import { userRoutes } from "./routes/users/users.ts";

/** What the routes under each tag are about, in the order of the reference. */
export const tags: Readonly<Record<string, string>> = {
  Accounts: "An account has its own lists, subscribers, campaigns and API keys.",
  "Audit log": "Who changed what, except changes of single subscribers.",
  Blocks: "Addresses and domains that get no mail, even if somebody adds them.",
  "Custom fields": "What is stored about subscribers beside their names, gender, birthday and country.",
  "API keys": "What integrations call the SOAP service with.",
  Lists: "What people subscribe to.",
  Campaigns: "What was sent to lists, by Mailroll or by another tool.",
  "Campaign events": "Bounces, unsubscribes and complaints.",
  Statistics: "Numbers per day, per API key and per campaign.",
  "Sending campaigns": "Campaigns that Mailroll sends: content, checks, progress and recipients.",
  Senders: "Who campaigns are from, with the DKIM key and the relays.",
  "Refused calls": "SOAP calls that the rules refused: correct and replay them, or dismiss them.",
  Imports: "Tables of subscribers or suppressions that were uploaded.",
  Uploads: "Files for imports, sent in parts.",
  Jobs: "Work that takes long, and its progress.",
  Subscribers: "Find, add, correct, export and erase people.",
  Installation: "The service as a whole.",
  Search: "One search for everything in an account.",
  You: "The user of the token: log-in, password, second factor, tokens and sessions.",
  Users: "Users of the console and of this API, and their roles.",
};

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...auditRoutes,
  ...blockRoutes,
  ...fieldRoutes,
  ...keyRoutes,
  ...listRoutes,
  listExportRoute,
  ...campaignRoutes,
  ...campaignEventRoutes,
  ...campaignResultRoutes,
  ...composeRoutes,
  ...sendingRoutes,
  ...ledgerRoutes,
  ...senderRoutes,
  ...refusedCallRoutes,
  ...refusalGroupRoutes,
  ...importRoutes,
  ...startImportRoutes,
  ...uploadRoutes,
  ...jobRoutes,
  ...subscriberRoutes,
  ...shownSubscriberRoutes,
  addressRoute,
  batchRoute,
  ...bulkRoutes,
  ...oneSubscriberRoutes,
  overviewRoute,
  ...settingRoutes,
  ...statisticsRoutes,
  ...searchRoutes,
  ...meRoutes,
  ...sessionRoutes,
  ...userRoutes,
];
