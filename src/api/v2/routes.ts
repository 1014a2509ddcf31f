/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { campaignEventRoutes } from "./routes/campaign-events.ts";
import { campaignRoutes } from "./routes/campaigns.ts";
import { listRoutes } from "./routes/lists.ts";

export const routes: readonly Route[] = [...listRoutes, ...campaignRoutes, ...campaignEventRoutes];
