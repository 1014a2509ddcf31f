/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { listExportRoute } from "./routes/list-export.ts";
import { listRoutes } from "./routes/lists.ts";
import { batchRoute } from "./routes/subscribers/batch.ts";
import { oneSubscriberRoutes } from "./routes/subscribers/one-subscriber.ts";
import { subscriberRoutes } from "./routes/subscribers/subscribers.ts";

export const routes: readonly Route[] = [
  ...listRoutes,
  listExportRoute,
  ...subscriberRoutes,
  batchRoute,
  ...oneSubscriberRoutes,
];
