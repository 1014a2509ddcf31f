/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { accountRoutes } from "./routes/accounts.ts";
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
import { startImportRoutes } from "./routes/start-imports.ts";
import { uploadRoutes } from "./routes/uploads.ts";

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...blockRoutes,
  ...fieldRoutes,
  ...keyRoutes,
  ...listRoutes,
  ...campaignRoutes,
  ...campaignEventRoutes,
  ...refusedCallRoutes,
  ...refusalGroupRoutes,
  ...importRoutes,
  ...startImportRoutes,
  ...uploadRoutes,
  ...jobRoutes,
];
