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
import { listRoutes } from "./routes/lists.ts";
import { refusalGroupRoutes } from "./routes/refusal-groups.ts";
import { refusedCallRoutes } from "./routes/refused-calls.ts";

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...auditRoutes,
  ...blockRoutes,
  ...fieldRoutes,
  ...keyRoutes,
  ...listRoutes,
  ...campaignRoutes,
  ...campaignEventRoutes,
  ...refusedCallRoutes,
  ...refusalGroupRoutes,
  ...importRoutes,
  ...jobRoutes,
];
