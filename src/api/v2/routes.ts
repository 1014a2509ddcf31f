/** Every route of the API. */
import type { Route, TaggedRoute } from "./kit/route.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { auditRoutes } from "./routes/audit.ts";
import { blockRoutes } from "./routes/blocks.ts";
import { composeRoutes } from "./routes/campaign-content.ts";
import { campaignEventRoutes, campaignTotalsRoute } from "./routes/campaign-events.ts";
import { ledgerRoutes } from "./routes/campaign-ledger.ts";
import { sendingRoutes } from "./routes/campaign-sending.ts";
import { campaignRoutes } from "./routes/campaigns.ts";
import { fieldRoutes } from "./routes/fields.ts";
import { importRoutes, startImportRoutes } from "./routes/imports.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listRoutes } from "./routes/lists.ts";
import { meRoutes } from "./routes/me.ts";
import { oneSubscriberRoutes } from "./routes/one-subscriber.ts";
import { overviewRoute } from "./routes/overview.ts";
import { refusalGroupRoutes, refusedCallRoutes } from "./routes/refused-calls.ts";
import { searchRoutes } from "./routes/search.ts";
import { senderRoutes } from "./routes/senders.ts";
import { settingRoutes } from "./routes/settings.ts";
import { statisticsRoutes } from "./routes/statistics.ts";
import { batchRoute } from "./routes/subscriber-batch.ts";
import { addressRoute, bulkRoutes } from "./routes/subscriber-bulk-change.ts";
import { shownSubscriberRoutes } from "./routes/subscriber-record.ts";
import { subscriberRoutes } from "./routes/subscribers.ts";
import { uploadRoutes } from "./routes/uploads.ts";
import { sessionRoutes } from "./routes/user-sessions.ts";
import { userRoutes } from "./routes/users.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

/** What the routes under each tag are about, in the order of the reference. */
export const tags = {
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

const under = (tag: keyof typeof tags, routes: readonly Route[]): readonly TaggedRoute[] =>
  routes.map((route) => ({ ...route, tag }));

export const routes: readonly TaggedRoute[] = [
  ...under("Accounts", accountRoutes),
  ...under("Audit log", auditRoutes),
  ...under("Blocks", blockRoutes),
  ...under("Custom fields", fieldRoutes),
  ...under("API keys", keyRoutes),
  ...under("Lists", listRoutes),
  ...under("Campaigns", campaignRoutes),
  ...under("Campaign events", campaignEventRoutes),
  ...under("Statistics", [campaignTotalsRoute]),
  ...under("Sending campaigns", [...composeRoutes, ...sendingRoutes, ...ledgerRoutes]),
  ...under("Senders", [...senderRoutes, ...webhookRoutes]),
  ...under("Refused calls", [...refusedCallRoutes, ...refusalGroupRoutes]),
  ...under("Imports", [...importRoutes, ...startImportRoutes]),
  ...under("Uploads", uploadRoutes),
  ...under("Jobs", jobRoutes),
  ...under("Subscribers", [...subscriberRoutes, ...shownSubscriberRoutes, addressRoute, batchRoute]),
  ...under("Subscribers", [...bulkRoutes, ...oneSubscriberRoutes]),
  ...under("Statistics", [overviewRoute]),
  ...under("Installation", settingRoutes),
  ...under("Statistics", statisticsRoutes),
  ...under("Search", searchRoutes),
  ...under("You", [...meRoutes, ...sessionRoutes]),
  ...under("Users", userRoutes),
];
