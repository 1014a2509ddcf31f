/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { campaignEventRoutes } from "./routes/campaign-events.ts";
import { campaignRoutes } from "./routes/campaigns.ts";
import { importRoutes } from "./routes/imports.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { listRoutes } from "./routes/lists.ts";
import { refusalGroupRoutes } from "./routes/refusal-groups.ts";
import { refusedCallRoutes } from "./routes/refused-calls.ts";

export const routes: readonly Route[] = [
  ...listRoutes,
  ...campaignRoutes,
  ...campaignEventRoutes,
  ...refusedCallRoutes,
  ...refusalGroupRoutes,
  ...importRoutes,
  ...jobRoutes,
];
