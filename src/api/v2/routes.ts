/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { auditRoutes } from "./routes/audit.ts";
import { blockRoutes } from "./routes/blocks.ts";
import { campaignRoutes } from "./routes/campaigns/campaigns.ts";
import { composeRoutes } from "./routes/campaigns/compose.ts";
import { campaignEventRoutes } from "./routes/campaigns/events.ts";
import { ledgerRoutes } from "./routes/campaigns/ledger.ts";
import { campaignResultRoutes } from "./routes/campaigns/results.ts";
import { sendingRoutes } from "./routes/campaigns/sending.ts";
import { fieldRoutes } from "./routes/fields.ts";
import { importRoutes } from "./routes/imports/imports.ts";
import { startImportRoutes } from "./routes/imports/start.ts";
import { uploadRoutes } from "./routes/imports/uploads.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listExportRoute } from "./routes/lists/export.ts";
import { listRoutes } from "./routes/lists/lists.ts";
import { overviewRoute } from "./routes/overview.ts";
import { refusalGroupRoutes } from "./routes/refused-calls/groups.ts";
import { refusedCallRoutes } from "./routes/refused-calls/refused-calls.ts";
import { searchRoutes } from "./routes/search.ts";
import { senderRoutes } from "./routes/senders.ts";
import { settingRoutes } from "./routes/settings.ts";
import { statisticsRoutes } from "./routes/statistics.ts";
import { addressRoute } from "./routes/subscribers/address.ts";
import { batchRoute } from "./routes/subscribers/batch.ts";
import { bulkRoutes } from "./routes/subscribers/bulk.ts";
import { oneSubscriberRoutes } from "./routes/subscribers/one-subscriber.ts";
import { shownSubscriberRoutes } from "./routes/subscribers/shown-subscriber.ts";
import { subscriberRoutes } from "./routes/subscribers/subscribers.ts";
import { meRoutes } from "./routes/users/me.ts";
import { sessionRoutes } from "./routes/users/sessions.ts";
import { userRoutes } from "./routes/users/users.ts";

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
