/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { auditRoutes } from "./routes/audit.ts";
import { blockRoutes } from "./routes/blocks.ts";
import { campaignEventRoutes } from "./routes/campaign-events.ts";
import { campaignRoutes } from "./routes/campaigns.ts";
import { fieldRoutes } from "./routes/fields.ts";
import { importRoutes } from "./routes/imports.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listExportRoute } from "./routes/list-export.ts";
import { listRoutes } from "./routes/lists.ts";
import { refusalGroupRoutes } from "./routes/refusal-groups.ts";
import { refusedCallRoutes } from "./routes/refused-calls.ts";
import { searchRoutes } from "./routes/search.ts";
import { startImportRoutes } from "./routes/start-imports.ts";
import { statisticsRoutes } from "./routes/statistics.ts";
import { batchRoute } from "./routes/subscribers/batch.ts";
import { bulkRoutes } from "./routes/subscribers/bulk.ts";
import { oneSubscriberRoutes } from "./routes/subscribers/one-subscriber.ts";
import { shownSubscriberRoutes } from "./routes/subscribers/shown-subscriber.ts";
import { subscriberRoutes } from "./routes/subscribers/subscribers.ts";
import { uploadRoutes } from "./routes/uploads.ts";
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
  ...refusedCallRoutes,
  ...refusalGroupRoutes,
  ...importRoutes,
  ...startImportRoutes,
  ...uploadRoutes,
  ...jobRoutes,
  ...subscriberRoutes,
  ...shownSubscriberRoutes,
  batchRoute,
  ...bulkRoutes,
  ...oneSubscriberRoutes,
  ...statisticsRoutes,
  ...searchRoutes,
  ...meRoutes,
  ...sessionRoutes,
  ...userRoutes,
];
